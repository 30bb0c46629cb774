"""Networks that defences are made of; each module is about torch alone and imported where it is used."""

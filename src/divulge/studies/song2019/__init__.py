"""song2019: whose texts was a generator trained on? Its tables and figures and what goes beyond them."""

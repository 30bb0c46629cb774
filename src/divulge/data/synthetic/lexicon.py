"""Words by field of meaning, and names put together from parts."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["COLOURS", "DIGITS", "FIELDS", "FIRST_NAMES", "PLACES", "SURNAMES", "Field", "joined", "words"]


@dataclass(frozen=True)
class Field:
    """Words that tend to occur together: nouns, verbs in the past tense, adjectives."""

    nouns: tuple[str, ...]
    verbs: tuple[str, ...]
    adjectives: tuple[str, ...]


def words(listed: str) -> tuple[str, ...]:
    """The words of a list written with white space between them."""
    return tuple(listed.split())


def joined(stems: str, endings: str) -> tuple[str, ...]:
    """Every stem with every ending, in an order that mixes both.

    >>> joined("ash oak", "ford ton")
    ('ashford', 'oakton', 'ashton', 'oakford')
    """
    starts, ends = stems.split(), endings.split()
    return tuple(
        stem + ends[(place + turn) % len(ends)] for turn in range(len(ends)) for place, stem in enumerate(starts)
    )


def _field(nouns: str, verbs: str, adjectives: str) -> Field:
    return Field(words(nouns), words(verbs), words(adjectives))


DIGITS = words("zero one two three four five six seven eight nine")
COLOURS = words("red blue green yellow orange purple white black pink brown grey turquoise")
FIRST_NAMES = words(
    """anna ben clara david elena frank greta henry iris jonas karla leo maria nils olga peter rosa simon tara ursula
    victor wanda xenia yusuf zoe adam bella cyrus doris emil fatima gustav hanna igor julia kamal lena mateo nora
    oscar petra ruben sofia timur una vera walter yara aldo birgit carlos dalia edgar farah"""
)
SURNAMES = joined(
    "alder birch cobble dray elm finch garth heron ivel jasper kestrel lark mallow nettle pike quill rook sorrel",
    "man wright well mark son ridge worth low",
)
PLACES = joined(
    "amber bracken crow dun east fern glass hollow iron kelm lorn marsh north oster pell raven silver thorn under wolf",
    "ford haven mouth field stead bridge wick holm dale port moor cross",
)
FIELDS: dict[str, Field] = {
    "plants": _field(
        "garden seed soil root leaf flower hedge orchard bulb stem meadow compost vine blossom",
        "planted watered pruned sowed trimmed grew",
        "green ripe shady leafy thorny fragrant",
    ),
    "animals": _field(
        "horse goat hen fox owl herd stable nest feather paw sheep kitten fence burrow",
        "fed chased tamed milked followed petted",
        "wild tame furry hungry nervous gentle",
    ),
    "weather": _field(
        "rain storm cloud frost breeze fog sunshine thunder drizzle heat snow forecast season umbrella",
        "soaked froze cleared expected endured melted",
        "wet windy mild icy humid gloomy",
    ),
    "tools": _field(
        "hammer nail saw ladder drill rope bucket shovel screw wrench glue plank sandpaper workbench",
        "repaired sharpened fixed measured sawed fastened",
        "rusty sturdy blunt heavy handy wooden",
    ),
    "home": _field(
        "kitchen roof window cellar sofa lamp carpet door wall cupboard stairs balcony curtain attic",
        "cleaned painted furnished locked swept tidied",
        "cosy tidy spacious dusty narrow bright",
    ),
    "food": _field(
        "bread soup cheese pepper onion sauce dough rice butter dessert recipe oven spice pan",
        "baked tasted fried boiled served chopped",
        "salty sweet crispy sour spicy tender",
    ),
    "city": _field(
        "street square market tram crowd bridge tower corner suburb cafe museum park pavement fountain",
        "crossed visited toured entered rebuilt admired",
        "busy noisy crowded modern central lively",
    ),
    "water": _field(
        "boat harbour wave tide sail anchor river shore current island lighthouse deck reef canal",
        "sailed rowed dived drifted swam anchored",
        "deep calm salty rough shallow coastal",
    ),
    "journey": _field(
        "train luggage ticket map road hotel border trail passport station guide camp suitcase detour",
        "travelled packed booked reached missed explored",
        "distant foreign scenic weary delayed remote",
    ),
    "vehicles": _field(
        "engine wheel truck brake tyre bicycle motor fuel trailer gear mirror garage seat tractor",
        "drove parked towed steered overtook refuelled",
        "fast loud electric dented reliable muddy",
    ),
    "body": _field(
        "muscle shoulder knee heart lung bone skin breath back ankle stomach wrist sleep posture",
        "stretched strained lifted rested sweated healed",
        "sore tired strong stiff fit pale",
    ),
    "health": _field(
        "doctor fever clinic pill bandage nurse cough diagnosis vaccine infection patient surgery dose rash",
        "treated examined prescribed recovered diagnosed cured",
        "sick painful chronic healthy severe contagious",
    ),
    "sport": _field(
        "team goal coach match ball race referee league stadium medal player defence penalty rival",
        "scored trained defeated kicked sprinted cheered",
        "fierce athletic injured victorious clumsy swift",
    ),
    "money": _field(
        "price loan bank budget profit tax salary debt coin invoice discount account purse interest",
        "paid earned borrowed invested spent owed",
        "cheap costly wealthy generous bankrupt frugal",
    ),
    "law": _field(
        "court judge contract witness rule trial clause permit appeal verdict lawyer fine statute evidence",
        "signed sued accused ruled testified forbade",
        "legal guilty binding strict fair unlawful",
    ),
    "office": _field(
        "meeting desk manager memo deadline report printer client project colleague folder schedule task boss",
        "organised approved postponed filed presented hired",
        "urgent formal boring efficient stressful late",
    ),
    "computers": _field(
        "server screen password code keyboard file network update browser program laptop error cable backup",
        "installed deleted crashed typed uploaded encrypted",
        "digital slow secure broken wireless automatic",
    ),
    "science": _field(
        "theory experiment sample laboratory formula lens result particle hypothesis data method acid curve crystal",
        "tested observed proved calculated discovered compared",
        "exact chemical puzzling statistical tiny plausible",
    ),
    "school": _field(
        "teacher lesson exam pupil essay grade classroom homework textbook lecture campus degree chalk quiz",
        "taught studied failed passed revised graduated",
        "clever difficult lazy curious absent diligent",
    ),
    "books": _field(
        "novel chapter poem author page library verse publisher shelf plot narrator preface sequel edition",
        "read wrote published quoted edited translated",
        "fictional witty lengthy literary dull famous",
    ),
    "history": _field(
        "king castle battle empire ruin century soldier treaty sword palace queen monument revolt archive",
        "conquered ruled built besieged crowned excavated",
        "ancient royal medieval forgotten noble brutal",
    ),
    "music": _field(
        "song guitar melody drum concert choir piano rhythm violin chorus album singer flute encore",
        "played sang tuned rehearsed recorded composed",
        "loud catchy acoustic cheerful mellow classical",
    ),
    "media": _field(
        "film camera actor scene studio audience interview newspaper headline cinema script trailer episode director",
        "filmed watched reviewed broadcast interviewed directed",
        "dramatic popular funny violent acclaimed silent",
    ),
    "sky": _field(
        "star planet moon orbit rocket telescope comet galaxy astronaut satellite eclipse horizon meteor capsule",
        "launched orbited gazed landed glowed photographed",
        "bright distant dark cosmic lunar faint",
    ),
}

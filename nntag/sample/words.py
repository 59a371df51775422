"""The general words of the sample grammar: nouns, adjectives, adverbs, names and small words, from frequent to rare."""

from __future__ import annotations

SPEECH = "say/said reply whisper mutter shout add cry explain answer murmur"
WEATHER = "rain snow hail drizzle thunder"
SEEM = "seem appear happen"

PEOPLE = (
    "man/men woman/women boy girl friend neighbour stranger child/children brother sister mother father uncle widow "
    "soldier servant poet tailor visitor cousin hunter orphan beggar foreigner twin carpenter cobbler hermit"
)
THINGS = (
    "letter door box table key lamp chair window watch picture clock mirror bell hat coat basket candle umbrella chest "
    "parcel ladder bottle ring blanket drawer bucket curtain statue hammer ribbon trinket"
)
MASS = "paper snow dust wood wine glass furniture leather silk rubbish ivory"
PLACES = "town house room village street river garden forest church road hill square valley castle cottage attic alley"
EVENTS = "war meeting party wedding visit fire flood funeral celebration quarrel festival coronation"
ROLES = "friend leader stranger hero/heroes fool genius/geniuses enemy rival expert nuisance celebrity"
PART_NOUNS = "colour history end cost top bottom cause edge shape weight surface"
CLAIMS = "claim fact idea belief rumour news/news hope fear suspicion theory conviction"
PLANS = "plan attempt decision promise desire refusal order chance permission/permission reluctance"
QUALITIES = "patience courage luck silence hunger truth sleep anger sorrow curiosity envy"
UNITS = "mile foot/feet pound inch/inches ton yard acre gallon"
PERIODS = "day week month year hour minute night decade fortnight"
DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday"
MONTHS = "January February March April May June July August September October November December"

# Gradable adjectives; those of one or two syllables have -er and -est.
THING_ADJECTIVES = (
    "old new small large red heavy black long white strange broken blue beautiful green cheap strong expensive hot "
    "useful cold dirty yellow light dark clean empty plain valuable rare bright ugly soft grey ancient useless round "
    "fragile tiny hollow enormous shabby ornate smooth brittle crimson battered peculiar rickety"
)
PLACE_ADJECTIVES = (
    "old small quiet empty dark large dirty famous cold distant narrow strange ancient warm muddy peaceful dusty damp "
    "deserted gloomy remote draughty"
)
EVENT_ADJECTIVES = (
    "long sudden terrible brief sad strange famous dangerous successful great noisy last unexpected disastrous annual "
    "boring secret memorable"
)
MULTITUDES = "many several few other various countless"
QUALITY_ADJECTIVES = (
    "kind quiet sad happy lazy rude blind careless foolish stubborn greedy shy gloomy dark bright soft eager willing "
    "clumsy bitter hasty useless polite ready sleepy tender ruthless haughty cautious"
)
PERSON_ADJECTIVES = (
    "young old tall tired clever rich poor honest famous happy brave angry strange quiet kind nervous proud lazy rude "
    "polite blind hungry sick careless patient wise cruel foolish jealous stubborn sleepy greedy cautious shy gloomy "
    "eloquent ruthless absent-minded haughty"
)
COMPARABLE = (
    "red black white green old new small large heavy long cheap strong hot cold dirty light dark clean bright ugly "
    "soft young tall rich poor happy brave kind quiet lazy rude wise tiny smooth loud slow fresh sweet late deep dull "
    "thick fat shy sad"
)
OF_ADJECTIVES = "of:afraid of:proud of:fond of:tired of:aware about:worried about:angry with:pleased of:envious"
TO_ADJECTIVES = "ready able eager willing happy afraid unable anxious reluctant keen free desperate"
THAT_ADJECTIVES = "sure certain glad afraid aware confident sorry surprised convinced"
TOUGH_ADJECTIVES = "easy hard difficult impossible dangerous pleasant cheap tricky expensive"
FACT_ADJECTIVES = "clear true possible obvious likely strange odd unlikely plain doubtful"

MANNER = (
    "quick slow quiet careful sudden sad gentle secret patient happy angry proud loud silent calm brave nervous clumsy "
    "eager polite careless bitter cautious hasty graceful stubborn meek furious lazy tender swift sheepish wistful "
    "gruff"
)
SENTENCE_ADVERBS = (
    "however perhaps finally suddenly fortunately meanwhile sometimes obviously eventually naturally certainly "
    "unfortunately then afterwards curiously admittedly"
)
MIDDLE_ADVERBS = "often never always still really soon once already probably usually rarely almost seldom"
LATE_ADVERBS = "again there here together alone too abroad outside upstairs everywhere"
PAST_ADVERBS = "yesterday then once"
PRESENT_ADVERBS = "now today nowadays"
DEGREES = "very rather quite extremely unusually fairly remarkably surprisingly terribly strangely unbelievably"

FIRST_NAMES = (
    "Anna Tom Martha Peter Clara Hugo Edith Oscar Nora Felix Agnes Walter "
    "Ivy Gilbert Maud Rupert Beatrix Cedric Winifred Barnaby"
)
TITLES = "Mr. Mrs. Miss Dr. Captain Lady Sir Professor"
NAME_STARTS = (
    "Ash Black Har Win Stone Thorn West Mill Bram Hol Red Grey Pen Lang Wood Cold Fair Nor Eld Wether Tal Fen Hart "
    "Marl Brack Orm Copper Dun Swan Kest Birch Clay Wyn Raven Sel Bar Hazel Ox Ald Lod Mor Pad Strat Ever Alver "
    "Thistle Gor Hamble Wick Tor Lynd Burn Cran Elms Flax Gil Hock"
)
SURNAME_ENDS = (
    "row by man ley well combe wright son worth field more gate ridge ham stead thwaite good er ing brook den shaw lock"
)
TOWN_ENDS = (
    "ford ton bury bridge port wick mouth haven minster cliffe dale stow chester pool hurst leigh fleet holme sea"
)
TOWN_PARTS = "Castle Bay Street Hill Bridge Lane Abbey Square Moor Green"
MAKERS = "maker owner seller mender dealer keeper thief/thieves collector buyer hater tester"
TRIPLE_PARTS = "stained covered lined filled scented coloured shaped bound scarred sized laden framed"

EVENT_PREPOSITIONS = "after before during since until"
PLACE_PREPOSITIONS = "in near at behind from beside outside beyond across around opposite towards"
THING_PREPOSITIONS = "on under near behind beside beneath against above"
SUBORDINATORS = "because when while before after although if until since unless whereas"
GERUND_HEADS = "before after without by while"
INTERJECTIONS = "yes no well oh alas indeed"

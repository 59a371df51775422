"""The topics of the sample grammar: for each one the people, things, places, events and verbs that belong together.

Words stand from frequent to rare (the lexicon draws them by a Zipf law). A sentence has one topic and takes most of its
content words from it, so that a language model can learn which words keep company. All words were chosen by hand.
"""

from __future__ import annotations

# Fields of a topic: people, things, mass (no plural), places, events, use (verbs with a person as subject and one of
# the topic's things as object), act (intransitive verbs of people), happen (intransitive verbs of things),
# adjectives (of things), parts (nouns with "of" and a thing or place of the topic).
FIELDS = ("people", "things", "mass", "places", "events", "use", "act", "happen", "adjectives", "parts")

TOPICS: dict[str, dict[str, str]] = {
    "sea": {
        "people": "captain sailor pilot fisherman/fishermen smuggler diver passenger boatswain admiral navigator "
        "deckhand/deckhands oarsman/oarsmen helmsman/helmsmen castaway stowaway harpooner",
        "things": "ship boat sail rope anchor net lantern oar mast compass rudder raft barrel dinghy schooner buoy "
        "tiller capstan bowsprit halyard sextant trawler",
        "mass": "water fog salt tar driftwood ballast seaweed brine",
        "places": "harbour island bay coast reef dock lighthouse pier lagoon estuary shoal quay",
        "events": "storm voyage tide gale shipwreck squall regatta",
        "use": "steer load anchor repair launch sink/sank/sunk moor tow haul row caulk scuttle careen",
        "act": "sail row drift drown dive fish embark",
        "happen": "sink/sank/sunk drift float leak capsize founder",
        "adjectives": "wooden rusty leaky salty seaworthy barnacled waterlogged storm-beaten",
        "parts": "deck captain crew cabin owner hull keel stern prow",
    },
    "farm": {
        "people": "farmer shepherd miller ploughman/ploughmen milkmaid blacksmith beekeeper gardener drover cowherd "
        "harvester thatcher ploughboy",
        "things": "horse cow plough cart sheep/sheep fence gate field goat hen pig hive scythe bull wagon sickle "
        "haystack pitchfork trough heifer gander harrow",
        "mass": "hay corn barley straw manure wool clover fodder chaff",
        "places": "barn meadow stable orchard pasture mill hillside paddock sheepfold hayloft",
        "events": "harvest drought market shearing ploughing lambing",
        "use": "feed/fed plough milk shear/sheared/shorn lead/led harness sow/sowed/sown fence herd mow/mowed/mown "
        "groom tether fatten",
        "act": "plough dig/dug sow/sowed/sown harvest reap toil graze",
        "happen": "grow/grew/grown ripen graze wither stray bellow sprout",
        "adjectives": "muddy fertile fat woolly ripe barren fallow weedy",
        "parts": "owner corner edge smell breed hoof/hooves horn",
    },
    "kitchen": {
        "people": "cook baker waiter butcher guest chef waitress brewer innkeeper grocer dishwasher confectioner "
        "pastrycook",
        "things": "pan cake pie oven spoon knife/knives plate kettle loaf/loaves sausage onion recipe stew bowl ladle "
        "jug sieve dumpling pudding skillet saucer casserole colander",
        "mass": "bread soup butter cheese flour sugar gravy tea pepper mustard dough yeast",
        "places": "kitchen pantry bakery cellar restaurant inn larder scullery tavern",
        "events": "dinner feast breakfast supper banquet picnic luncheon",
        "use": "cook bake taste fry slice stir boil roast serve peel season knead simmer baste",
        "act": "cook eat/ate/eaten dine bake feast carve nibble",
        "happen": "boil burn cool simmer rise/rose/risen sizzle curdle",
        "adjectives": "fresh sweet spicy sour greasy tasty crisp stale savoury bitter",
        "parts": "smell taste recipe lid rim crust flavour handle",
    },
    "court": {
        "people": "judge lawyer witness thief/thieves detective prisoner clerk juror sheriff burglar constable "
        "forger magistrate bailiff prosecutor notary perjurer",
        "things": "verdict sentence crime confession alibi law clue warrant will handcuff summons/summonses contract "
        "fingerprint affidavit subpoena petition bribe pistol",
        "mass": "evidence testimony justice blackmail perjury fraud bail",
        "places": "court prison cell courtroom jail dock chamber gallows tribunal",
        "events": "trial hearing robbery arrest inquest murder appeal",
        "use": "examine dispute sign challenge overturn forge commit draft contest annul suppress notarise",
        "act": "testify plead confess appeal lie escape perjure",
        "happen": "stand/stood collapse lapse fail expire",
        "adjectives": "false legal guilty forged solemn lawful unjust sworn bloodstained",
        "parts": "victim motive copy proof author terms/terms wording",
    },
    "hospital": {
        "people": "doctor nurse patient surgeon midwife/midwives dentist chemist orderly physician matron "
        "anaesthetist pathologist invalid",
        "things": "bandage wound fever pill needle thermometer ambulance syringe bed crutch stretcher scalpel splint "
        "bruise tonic stethoscope tourniquet poultice ulcer",
        "mass": "blood medicine ether iodine quinine ointment morphine",
        "places": "hospital ward clinic surgery dispensary infirmary sickroom asylum",
        "events": "operation epidemic illness examination fever outbreak relapse",
        "use": "treat bandage cure examine sterilise prescribe diagnose dress inject disinfect amputate",
        "act": "faint recover cough bleed/bled sneeze shiver convalesce",
        "happen": "heal spread/spread swell/swelled/swollen worsen subside fester",
        "adjectives": "painful swollen infectious clean deep septic sterile feverish",
        "parts": "cause cure symptom dose treatment onset diagnosis",
    },
    "school": {
        "people": "teacher pupil student headmaster scholar tutor professor librarian schoolboy governess linguist "
        "lecturer dunce",
        "things": "book lesson essay pencil poem desk blackboard dictionary satchel map novel slate inkwell textbook "
        "chapter globe notebook riddle alphabet primer thesis/theses",
        "mass": "chalk grammar homework geography arithmetic ink algebra",
        "places": "school library classroom college playground university lecture-hall schoolroom",
        "events": "lesson examination lecture holiday term debate recitation",
        "use": "read/read write/wrote/written study copy mark recite translate memorise revise annotate misspell",
        "act": "read/read study learn graduate lecture daydream scribble",
        "happen": "appear end begin/began/begun bore",
        "adjectives": "difficult dull dusty thick clever illustrated torn tedious leather-bound scholarly",
        "parts": "page author title chapter margin summary translator",
    },
    "music": {
        "people": "singer musician pianist composer conductor violinist drummer dancer organist fiddler tenor "
        "soprano flautist trumpeter cellist",
        "things": "song piano violin drum tune flute trumpet melody guitar symphony string organ waltz cello ballad "
        "chorus harp bassoon sonata lullaby oboe madrigal",
        "mass": "music applause harmony rhythm opera counterpoint",
        "places": "theatre stage concert-hall ballroom studio chapel bandstand conservatory",
        "events": "concert rehearsal performance ball recital overture serenade",
        "use": "play sing/sang/sung compose tune rehearse perform hum conduct strum transpose improvise",
        "act": "sing/sang/sung dance play rehearse hum whistle yodel",
        "happen": "echo sound fade squeak swell/swelled/swollen reverberate",
        "adjectives": "loud sad cheerful shrill slow melancholy solemn off-key harmonious",
        "parts": "rhythm composer melody echo verse refrain tempo",
    },
    "bank": {
        "people": "banker merchant broker cashier investor trader accountant landlord treasurer auditor shareholder "
        "pawnbroker moneylender usurer",
        "things": "loan debt price share coin account bill tax profit cheque bond ledger mortgage dividend receipt "
        "pension invoice banknote surcharge annuity",
        "mass": "money gold credit interest cash silver capital inflation bullion",
        "places": "bank office market vault exchange counting-house warehouse treasury",
        "events": "auction crisis/crises sale bankruptcy boom slump audit",
        "use": "pay/paid lend/lent invest borrow raise count sell/sold collect repay/repaid audit forfeit amortise",
        "act": "trade invest bargain haggle speculate economise default",
        "happen": "rise/rose/risen fall/fell/fallen double drop shrink/shrank/shrunk dwindle",
        "adjectives": "expensive cheap profitable unpaid annual worthless taxable overdue lucrative",
        "parts": "value price size owner amount share fraction",
    },
    "railway": {
        "people": "driver guard porter engineer stationmaster conductor signalman/signalmen traveller commuter "
        "fireman/firemen surveyor navvy inspector brakeman/brakemen",
        "things": "train engine ticket carriage bridge wheel signal suitcase trunk whistle locomotive rail timetable "
        "boiler brake piston turnstile viaduct buffer tender",
        "mass": "steam coal luggage smoke freight gravel soot",
        "places": "station tunnel platform depot junction waiting-room siding terminus crossing",
        "events": "journey strike accident departure delay collision derailment",
        "use": "stop drive/drove/driven build/built inspect couple repair shunt derail stoke lubricate overhaul",
        "act": "travel arrive wait depart commute journey change",
        "happen": "stop whistle stall derail rattle arrive screech",
        "adjectives": "late crowded iron noisy empty steam-driven punctual sooty narrow",
        "parts": "driver speed roar end conductor destination axle",
    },
    "laboratory": {
        "people": "scientist chemist inventor assistant researcher astronomer botanist physicist technician geologist "
        "biologist mathematician alchemist",
        "things": "experiment theory telescope lens microscope machine flask battery magnet crystal molecule planet "
        "comet equation formula beaker pendulum prism electron generator burette catalyst",
        "mass": "acid hydrogen electricity sulphur light oxygen mercury radium phosphorus",
        "places": "laboratory observatory museum workshop institute greenhouse academy planetarium",
        "events": "experiment discovery eclipse explosion expedition congress demonstration",
        "use": "measure test observe heat weigh invent calculate dissolve magnify calibrate distil/distilled refute",
        "act": "calculate observe experiment theorise speculate hypothesise",
        "happen": "explode glow melt vibrate evaporate oscillate dissolve",
        "adjectives": "scientific accurate bright transparent magnetic electric poisonous explosive radioactive "
        "inconclusive",
        "parts": "result size inventor mass temperature orbit wavelength",
    },
}

"""The verb frames of the sample grammar: which arguments verbs take, with the verbs from frequent to rare.

A frame is a line `weight | arguments | verbs`; an indented line continues the one before. Arguments come in the order
in which the verb takes them: `person`, `thing`, `place`, `event`, `name`, `role` and `use` (one of the topic's things)
are noun phrases, `claim` and `plan` nouns with a clause, `on:thing` a prepositional phrase, `up!` a particle, `to`,
`ing` and `bare` verb phrases, `done` a passive participle, `adj` an adjective phrase, `that`, `clause`, `whether`,
`what` and `how` clauses. The rare frames at the end give rare categories.
"""

from __future__ import annotations

PERSON_FRAMES = r"""
14 | person | see/saw/seen help thank follow meet/met praise watch warn trust fear visit admire blame greet recognise
    ignore remember forgive/forgave/forgiven question answer guide mock pity envy scold outwit
    overtake/overtook/overtaken
16 | thing | see/saw/seen find/found want need like buy/bought bring/brought carry keep/kept lose/lost hide/hid/hidden
    move watch show/showed/shown break/broke/broken choose/chose/chosen steal/stole/stolen remember describe paint
    examine notice drop drag polish shake/shook/shaken guard record misplace mend admire wrap smash smuggle
6 | place | leave/left reach cross visit enter search guard avoid describe watch paint surround explore haunt circle
3 | event | remember expect survive attend avoid describe watch fear record delay
8 | | sleep/slept laugh wait arrive leave/left work smile wander return hesitate shout walk run/ran/run cry rest
    speak/spoke/spoken tremble blush pause yawn stumble vanish quarrel limp
4 | adj | seem look become/became/become feel/felt remain stay sound appear grow/grew/grown
2 | role | become/became/become remain
3 | at:thing | look stare point glance aim frown
3 | for:person | wait care work look vote hope
2 | for:thing | look wait ask search pay/paid beg hunt yearn
2 | to:person | speak/spoke/spoken listen write/wrote/written talk apologise object bow
2 | about:thing | complain talk dream/dreamed worry think/thought joke argue boast grumble
2 | on:thing | rely depend insist work sit/sat experiment
2 | with:person | agree argue quarrel deal/dealt dance fight/fought sympathise
4 | thing into:place | put/put carry throw/threw/thrown bring/brought take/took/taken move roll shove
3 | thing on:thing | put/put place lay/laid drop spill balance stack
3 | thing to:person | give/gave/given send/sent show/showed/shown sell/sold lend/lent offer hand bring/brought pass
    read/read explain describe entrust bequeath
4 | person thing | give/gave/given send/sent show/showed/shown offer lend/lent bring/brought sell/sold hand
    teach/taught owe promise
2 | person of:thing | rob remind warn accuse deprive
1 | person for:thing | blame thank pay/paid scold
1 | person with:thing | help supply trust
1 | person from:thing | protect save hide/hid/hidden shield
6 | to | want try hope plan decide refuse promise agree need intend expect manage learn pretend fail offer threaten
    begin/began/begun start like prepare hesitate aspire
5 | person to | ask persuade tell/told order allow force advise teach/taught want expect invite encourage beg remind
    urge command compel implore
2 | ing | stop start keep/kept enjoy avoid finish continue deny regret consider remember postpone
5 | that | say/said think/thought know/knew/known believe claim fear hope discover notice admit suggest suspect
    explain insist deny forget/forgot/forgotten complain report pretend conclude
3 | clause | say/said think/thought know/knew/known believe hope suppose guess feel/felt
2 | person that | tell/told warn remind assure convince inform persuade promise
2 | whether | wonder ask know/knew/known doubt discover see/saw/seen
2 | what | ask wonder know/knew/known remember see/saw/seen explain discover
1 | how | know/knew/known learn forget/forgot/forgotten remember explain
2 | person ing | see/saw/seen hear/heard watch notice find/found catch/caught
2 | person bare | make/made let/let hear/heard see/saw/seen help watch
2 | thing adj | make/made keep/kept find/found consider leave/left think/thought
1 | person adj | make/made find/found consider think/thought
3 | up! thing | pick wrap give/gave/given hang/hung lock look
1 | out! thing | carry throw/threw/thrown take/took/taken work
1 | down! thing | put/put take/took/taken write/wrote/written tear/tore/torn
1 | away! thing | throw/threw/thrown take/took/taken give/gave/given hide/hid/hidden
1 | thing back! | bring/brought give/gave/given take/took/taken send/sent want
1 | away! | run/ran/run go/went/gone walk get/got turn
1 | down! | sit/sat lie/lay/lain fall/fell/fallen calm
1 | up! | stand/stood get/got wake/woke/woken give/gave/given
1 | name | pronounce mispronounce
2 | claim | believe deny hear/heard remember doubt accept reject spread/spread
0.8 | to:person that | explain say/said admit suggest complain confess
0.6 | person whether | ask tell/told remind
0.4 | person what | ask show/showed/shown tell/told
0.3 | person how | teach/taught show/showed/shown tell/told
0.5 | thing done | want need find/found leave/left get/got
0.5 | done | get/got feel/felt
0.3 | out! that | find/found point
0.4 | up! with:person | catch/caught put/put keep/kept
0.2 | out! of:thing | run/ran/run drop
0.3 | with:person about:thing | argue talk quarrel agree
0.2 | to:person about:thing | speak/spoke/spoken talk complain write/wrote/written
0.3 | on! ing | go/went/gone keep/kept
0.2 | up! ing | end give/gave/given
0.2 | to:person to | appeal signal promise
0.1 | person thing that | bet/bet wager
0.1 | to:person whether | explain mention
0.1 | for:person to | wait arrange long
0.1 | person into:thing | talk argue
0.1 | from:place to:place | travel march row
0.1 | person thing for:thing | pay/paid
0.1 | thing from:place to:place | carry drag haul
2 | plan | support reject abandon announce discuss approve regret
"""

THING_FRAMES = r"""
4 | | disappear change matter move break/broke/broken fall/fell/fallen work shine/shone last open close
4 | adj | seem look become/became/become remain appear grow/grew/grown
3 | thing | contain need resemble cost/cost cover touch hide/hid/hidden damage match block
3 | person | please surprise frighten worry help hurt/hurt kill impress puzzle bewilder
1 | to:person | belong matter appeal
1 | on:thing | depend rest
1 | from:place | come/came/come fall/fell/fallen
1 | person thing | cost/cost save bring/brought
1 | to | seem need begin/began/begun tend fail
1 | person to | help cause force
1 | person adj | make/made keep/kept leave/left
"""

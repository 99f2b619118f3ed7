"""The JSON that commands print and the server answers, field by field.

Every object is a TypedDict, and the text below a field says what it holds. Methods `as_json`
return these types, which mypy checks; OpenAPI and docs/json.md are made from them. The rest of the
package imports them for its type checker only; nothing here is needed to solve games.

    answers.py    values, positions, equations, policies, charts, sweeps
    study.py      what kind of game it is: length, skill, choices
    runs.py       what solving, searching and planning print
    reports.py    what checking, verifying and measuring print, and the list of games
    sums.py       matrix games, sums of games, heaps
    server.py     what the server answers besides: errors, and the formats of other explorers
    plain.py      numbers that JSON does not have
"""

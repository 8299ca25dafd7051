"""The four ways to arrange the nodes of a profile.

    scope   by name scope
    graph   under the nodes that consume them
    op      by op type
    code    by the Python stack that created them
    view    what the four return
    tree    a tree as arrays

`memory` and everything above may import it.
"""

from __future__ import annotations

from collections.abc import Callable

from tfprof.definitions.quirks import Quirks
from tfprof.profiles.profile import Profile
from tfprof.views import code, graph, op, scope
from tfprof.views.view import View

VIEWS: dict[str, Callable[[Profile, Quirks], View]] = {
    "scope": scope.build,
    "graph": graph.build,
    "op": op.build,
    "code": code.build,
}


def view_of(profile: Profile, kind: str, quirks: Quirks) -> View:
    """A view of a profile, built once."""
    return profile.memoize((kind, quirks), lambda: VIEWS[kind](profile, quirks))

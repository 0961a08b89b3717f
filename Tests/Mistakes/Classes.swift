// Diagnostics of the compiler and the macros for classes that cannot be models; checked by `.ci/mistakes`.

import Chronicle

// expected-error@+2 {{@Model can only be attached to a class}}
// expected-note@+1 {{make it a class}}
@Model struct Place {
    var name: String
}

// expected-error@+1 {{a model class cannot be generic, because its entity has a single name}}
@Model final class Box<Content: Codable> {
    var content: Content
    init(content: Content) { self.content = content }
}

@Model class Trip {
    var name = ""
    init() {}
}

@Model final class BusinessTrip: Trip {
    var purpose: String

    init(purpose: String) {
        self.purpose = purpose
        super.init()
    }
}

enum Outer {
    // expected-error@+2 {{a nested model and its enclosing types cannot be private; make them fileprivate}}
    // expected-note@+1 {{make it fileprivate}}
    @Model private final class Hidden {
        var name = ""
    }
    @Model fileprivate final class Visible {
        var name = ""
    }
    @Model private final class Declared: PersistentModel {
        var name = ""
    }
}

func test() {
    // expected-error@+1 {{local type cannot have attached extension macro}}
    @Model final class Local {
        var name = ""
    }
}

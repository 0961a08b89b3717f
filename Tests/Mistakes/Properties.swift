// Diagnostics of the compiler and the macros for properties; checked by `.ci/mistakes`.

import Chronicle

// expected-error@+1 {{Trip needs an initializer that assigns 'code', 'name'}} expected-note@+1 {{add an initializer}}
@Model final class Trip {
    // expected-error@+1 {{'id' is a constant, which a fetch cannot set}} expected-note@+1 {{make it a `var`}}
    let id: Int
    @Attribute(.unique, .spotlite) var code: String  // expected-error {{has no member 'spotlite'}}
    var name: String
    // expected-error@+1 {{@Relationship requires a model type, an optional model, or an array or set of models}}
    @Relationship(deleteRule: .cascade) var words: [String] = []
    // expected-error@+1 {{value of type 'Item' has no member 'trap'}}
    @Relationship(inverse: \Item.trap) var items: [Item] = []
    // expected-error@+1 {{cannot infer key path type from context}}
    @Relationship(inverse: \.other) var others: [Item] = []
}

@Model final class Item {
    var trip: Trip?
    var other: Trip?
}

// If two sides name each other, Swift reports a circular reference for one, and a property of a non-model for the
// other.
@Model final class Author {
    // expected-error@+2 {{circular reference}}
    // expected-error@+1 {{name the inverse on only one side}}
    @Relationship(inverse: \Book.author) var books: [Book] = []
}

@Model final class Book {
    @Relationship(inverse: \Author.books) var author: Author?  // expected-note {{through reference here}}
}

package import Chronicle

// Versions of models, the later ones of which declare other relationships and properties.

/// A to-one relationship whose inverse has a delete rule.
package enum Cascading {
    @Model package final class Author {
        package var name = ""
        @Relationship(deleteRule: .cascade, inverse: \Text.author) package var texts: [Text] = []
        package init() {}
    }
    @Model package final class Text {
        package var title = ""
        package var author: Author?
        package init() {}
    }
}

package enum Denying {
    @Model package final class Author {
        package var name = ""
        @Relationship(deleteRule: .deny, inverse: \Text.author) package var texts: [Text] = []
        package init() {}
    }
    @Model package final class Text {
        package var title = ""
        package var author: Author?
        package init() {}
    }
}

/// A to-many relationship with a delete rule.
package enum CascadingLinks {
    @Model package final class Author {
        package var name = ""
        @Relationship(deleteRule: .cascade) package var texts: [Text] = []
        package init() {}
    }
    @Model package final class Text {
        package var title = ""
        package init() {}
    }
}

package enum DenyingLinks {
    @Model package final class Author {
        package var name = ""
        @Relationship(deleteRule: .deny) package var texts: [Text] = []
        package init() {}
    }
    @Model package final class Text {
        package var title = ""
        package init() {}
    }
}

/// The same classes without the relationship.
package enum Unrelated {
    @Model package final class Author {
        package var name = ""
        package init() {}
    }
    @Model package final class Text {
        package var title = ""
        package init() {}
    }
}

/// A subclass with a required relationship.
package enum RequiredInSubclass {
    @Model package final class Trip {
        package var name = ""
        package init() {}
    }
    @Model package class Leg {
        package var name = ""
        package init() {}
    }
    @Model package final class Flight: Leg {
        package var trip: Trip
        package init(_ trip: Trip) {
            self.trip = trip
            super.init()
        }
    }
}

/// A many-to-many relationship, whose sides continue in different relationships.
package enum Sides {
    package enum First: VersionedSchema {
        package static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
        package static var models: [any PersistentModel.Type] { [Team.self, User.self] }
        @Model package final class Team {
            @Relationship(inverse: \User.teams) package var members: [User] = []
            package init() {}
        }
        @Model package final class User {
            package var teams: [Team] = []
            package init() {}
        }
    }

    /// One side is removed.
    package enum OneSide: VersionedSchema {
        package static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
        package static var models: [any PersistentModel.Type] { [Team.self, User.self] }
        @Model package final class Team {
            package var name = ""
            package init() {}
        }
        @Model package final class User {
            @Relationship package var teams: [Team] = []
            package init() {}
        }
    }

    /// The name of that side is that of an attribute.
    package enum Number: VersionedSchema {
        package static var versionIdentifier: Schema.Version { Schema.Version(3, 0, 0) }
        package static var models: [any PersistentModel.Type] { [Team.self, User.self] }
        @Model package final class Team {
            package var members = 0
            package init() {}
        }
        @Model package final class User {
            @Relationship package var teams: [Team] = []
            package init() {}
        }
    }

    package enum Plan: SchemaMigrationPlan {
        package static var schemas: [any VersionedSchema.Type] { [OneSide.self, Number.self] }
        package static var stages: [MigrationStage] {
            [.lightweight(fromVersion: OneSide.self, toVersion: Number.self)]
        }
    }

    package enum CustomPlan: SchemaMigrationPlan {
        package static var schemas: [any VersionedSchema.Type] { [First.self, Number.self] }
        package static var stages: [MigrationStage] {
            [.custom(fromVersion: First.self, toVersion: Number.self, willMigrate: { _ in }, didMigrate: nil)]
        }
    }

    /// Each side has another inverse.
    package enum Separated {
        @Model package final class Team {
            @Relationship(inverse: \User.others) package var members: [User] = []
            @Relationship(inverse: \User.teams) package var added: [User] = []
            package init() {}
        }
        @Model package final class User {
            package var others: [Team] = []
            package var teams: [Team] = []
            package init() {}
        }
    }

    package enum Renamed {
        @Model package final class Team {
            @Relationship(originalName: "members", inverse: \User.others) package var people: [User] = []
            @Relationship(inverse: \User.teams) package var added: [User] = []
            package init() {}
        }
        @Model package final class User {
            package var others: [Team] = []
            package var teams: [Team] = []
            package init() {}
        }
    }

    /// One side refers to one model.
    package enum Reference {
        @Model package final class Team {
            @Relationship(inverse: \User.others) package var members: User?
            @Relationship(inverse: \User.teams) package var added: [User] = []
            package init() {}
        }
        @Model package final class User {
            package var others: [Team] = []
            package var teams: [Team] = []
            package init() {}
        }
    }
}

/// Properties that are removed and declared again.
package enum Returning {
    package enum First {
        @Model package final class Item {
            package var rating = 0
            @Relationship package var tags: [Tag] = []
            package init() {}
        }
        @Model package final class Tag {
            package init() {}
        }
    }

    package enum Removed {
        @Model package final class Item {
            package init() {}
        }
        @Model package final class Tag {
            package init() {}
        }
    }

    package enum Rated {
        @Model package final class Item {
            package var rating = 3
            package init() {}
        }
        @Model package final class Tag {
            package init() {}
        }
    }

    package enum Tagged {
        @Model package final class Item {
            @Relationship package var tags: [Tag] = []
            package init() {}
        }
        @Model package final class Tag {
            package init() {}
        }
    }
}

/// A column that two classes have, one after the other.
package enum Siblings {
    package enum First {
        @Model package class Base {
            package init() {}
        }
        @Model package final class One: Base {
            package var value: String?
        }
        @Model package final class Two: Base {
            package var name = ""
        }
    }

    package enum Second: VersionedSchema {
        package static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
        package static var models: [any PersistentModel.Type] { [Base.self, One.self, Two.self] }
        @Model package class Base {
            package init() {}
        }
        @Model package final class One: Base {
            package var name = ""
        }
        @Model package final class Two: Base {
            package var value: Int?
        }
    }

    package enum Third: VersionedSchema {
        package static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
        package static var models: [any PersistentModel.Type] { [Base.self, One.self, Two.self] }
        @Model package class Base {
            package init() {}
        }
        @Model package final class One: Base {
            package var value: Int?
        }
        @Model package final class Two: Base {
            package var value: Int?
        }
    }

    package enum Plan: SchemaMigrationPlan {
        package static var schemas: [any VersionedSchema.Type] { [Second.self, Third.self] }
        package static var stages: [MigrationStage] { [.lightweight(fromVersion: Second.self, toVersion: Third.self)] }
    }
}

/// A name that links and an attribute had, one after the other.
package enum Places {
    package enum Links {
        @Model package final class Item {
            @Relationship package var value: [Tag] = []
            package init() {}
        }
        @Model package final class Tag {
            package init() {}
        }
    }

    package enum Removed {
        @Model package final class Item {
            package init() {}
        }
        @Model package final class Tag {
            package init() {}
        }
    }

    package enum Number: VersionedSchema {
        package static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
        package static var models: [any PersistentModel.Type] { [Item.self, Tag.self] }
        @Model package final class Item {
            package var value = 0
            package init() {}
        }
        @Model package final class Tag {
            package init() {}
        }
    }

    package enum Renamed: VersionedSchema {
        package static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
        package static var models: [any PersistentModel.Type] { [Item.self, Tag.self] }
        @Model package final class Item {
            @Attribute(originalName: "value") package var number = 0
            package var value = "new"
            package init() {}
        }
        @Model package final class Tag {
            package init() {}
        }
    }

    package enum Plan: SchemaMigrationPlan {
        package static var schemas: [any VersionedSchema.Type] { [Number.self, Renamed.self] }
        package static var stages: [MigrationStage] {
            [.lightweight(fromVersion: Number.self, toVersion: Renamed.self)]
        }
    }
}

/// A relationship that is renamed, whose name another one receives.
package enum Successors {
    package enum Reference {
        @Model package final class Item {
            package var value: Tag?
            package init() {}
        }
        @Model package final class Tag {
            package init() {}
        }
        @Model package final class Other {
            package init() {}
        }
    }

    package enum List {
        @Model package final class Item {
            @Relationship(originalName: "value") package var values: [Tag] = []
            @Relationship package var value: [Other] = []
            package init() {}
        }
        @Model package final class Tag {
            package init() {}
        }
        @Model package final class Other {
            package init() {}
        }
    }

    /// Without the list, and with a new one of the same original name.
    package enum Removed {
        @Model package final class Item {
            @Relationship package var value: [Other] = []
            package init() {}
        }
        @Model package final class Tag {
            package init() {}
        }
        @Model package final class Other {
            package init() {}
        }
    }

    package enum New {
        @Model package final class Item {
            @Relationship package var value: [Other] = []
            @Relationship(originalName: "values") package var added: [Other] = []
            package init() {}
        }
        @Model package final class Tag {
            package init() {}
        }
        @Model package final class Other {
            package init() {}
        }
    }
}

/// An attribute whose uniqueness constraint changes together with its values.
package enum Codes {
    package enum Unique {
        @Model package final class Item {
            @Attribute(.unique) package var code: String?
            package init() {}
        }
    }

    package enum Required {
        @Model package final class Item {
            package var code = "a"
            package init() {}
        }
    }

    package enum Removed {
        @Model package final class Item {
            package var name = ""
            package init() {}
        }
    }

    package enum UniqueAgain {
        @Model package final class Item {
            package var name = ""
            @Attribute(.unique) package var code: String?
            package init() {}
        }
    }
}

/// A relationship that may have the keys of models that do not exist, and later may not.
package enum Dangling {
    @Model package final class Author {
        package var name = ""
        @Relationship(deleteRule: .noAction, inverse: \Text.author) package var texts: [Text] = []
        package init() {}
    }
    @Model package final class Text {
        package var title = ""
        package var author: Author?
        package init() {}
    }
}

package enum Nullified {
    @Model package final class Author {
        package var name = ""
        @Relationship(inverse: \Text.author) package var texts: [Text] = []
        package var number = 0
        package init() {}
    }
    @Model package final class Text {
        package var title = ""
        package var author: Author?
        package init() {}
    }
}

package import Chronicle

// Versions of models for `ReopenedStore`.

/// A relationship that is its own inverse, loses the inverse, and is removed before the class is renamed.
package enum FriendlyTrip {
    package enum First {
        @Model package final class Trip {
            package var name = ""
            @Relationship(inverse: Trip.back) package var friends: [Trip] = []
            package static var back: AnyKeyPath { \Trip.friends }
            package init() {}
        }
    }
    package enum OneWay {
        @Model package final class Trip {
            package var name = ""
            package var friends: [Trip] = []
            package init() {}
        }
    }
    package enum Removed {
        @Model package final class Trip {
            package var name = ""
            package init() {}
        }
    }
    package enum Renamed {
        @Model(originalName: "Trip") package final class Journey {
            package var name = ""
            package init() {}
        }
    }
    package enum RenamedWithFriends {
        @Model(originalName: "Trip") package final class Journey {
            package var name = ""
            @Relationship(inverse: Journey.back) package var friends: [Journey] = []
            package static var back: AnyKeyPath { \Journey.friends }
            package init() {}
        }
    }
}

/// Classes with lists of the same names, one of which is long, that pass on their names.
package enum TaggedPair {
    package enum First: VersionedSchema {
        package static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
        package static var models: [any PersistentModel.Type] { [A.self, B.self, Tag.self] }

        @Model package final class A {
            package var name = "a"
            package var tags: [Tag] = []
            package var tagsWithANameThatHasMoreThanFortyThreeBytes: [Tag] = []
            package init() {}
        }
        @Model package final class B {
            package var name = "b"
            package var tags: [Tag] = []
            package var tagsWithANameThatHasMoreThanFortyThreeBytes: [Tag] = []
            package init() {}
        }
        @Model package final class Tag {
            package var name = ""
            package init(_ name: String) { self.name = name }
        }
    }
    package enum Exchanged: VersionedSchema {
        package static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
        package static var models: [any PersistentModel.Type] { [A.self, B.self, Tag.self] }

        @Model(originalName: "B") package final class A {
            package var name = "a"
            package var tags: [Tag] = []
            package var tagsWithANameThatHasMoreThanFortyThreeBytes: [Tag] = []
            package init() {}
        }
        @Model(originalName: "A") package final class B {
            package var name = "b"
            package var tags: [Tag] = []
            package var tagsWithANameThatHasMoreThanFortyThreeBytes: [Tag] = []
            package init() {}
        }
        @Model package final class Tag {
            package var name = ""
            package init(_ name: String) { self.name = name }
        }
    }
    package enum Passed {
        @Model(originalName: "A") package final class B {
            package var name = "b"
            package var tags: [Tag] = []
            package var tagsWithANameThatHasMoreThanFortyThreeBytes: [Tag] = []
            package init() {}
        }
        @Model(originalName: "B") package final class C {
            package var name = "c"
            package var tags: [Tag] = []
            package var tagsWithANameThatHasMoreThanFortyThreeBytes: [Tag] = []
            package init() {}
        }
        @Model package final class Tag {
            package var name = ""
            package init(_ name: String) { self.name = name }
        }
    }
}

/// A class with a list that is renamed, and a new class that has its name and a list.
package enum StoppingTrip {
    package enum First {
        @Model package final class Trip {
            package var name = ""
            package var stops: [Stop] = []
            package init() {}
        }
        @Model package final class Stop {
            package var name = ""
            package init(_ name: String) { self.name = name }
        }
    }
    /// With the former name of a class that has a later name in the alphabet.
    package enum Replaced {
        @Model(originalName: "Trip") package final class Walk {
            package var name = ""
            package var stops: [Stop] = []
            package init() {}
        }
        @Model package final class Trip {
            package var stops: [Stop] = []
            package init() {}
        }
        @Model package final class Stop {
            package var name = ""
            package init(_ name: String) { self.name = name }
        }
    }
    package enum Removed {
        @Model package final class Trip {
            package var name = ""
            package init() {}
        }
        @Model package final class Stop {
            package var name = ""
            package init(_ name: String) { self.name = name }
        }
    }
    package enum Renamed {
        @Model(originalName: "Trip") package final class Tour {
            package var name = ""
            package init() {}
        }
        @Model package final class Stop {
            package var name = ""
            package init(_ name: String) { self.name = name }
        }
    }
    package enum Again {
        @Model(originalName: "Trip") package final class Tour {
            package var name = ""
            package init() {}
        }
        @Model package final class Trip {
            package var stops: [Stop] = []
            package init() {}
        }
        @Model package final class Stop {
            package var name = ""
            package init(_ name: String) { self.name = name }
        }
    }
}

/// A list whose name changes only in its case.
package enum CasedTrip {
    package enum First {
        @Model package final class Trip {
            package var name = ""
            package var tags: [Tag] = []
            package init() {}
        }
        @Model package final class Tag {
            package var name = ""
            package init(_ name: String) { self.name = name }
        }
    }
    package enum Renamed {
        @Model package final class Trip {
            package var name = ""
            @Relationship(originalName: "tags") package var Tags: [Tag] = []
            package init() {}
        }
        @Model package final class Tag {
            package var name = ""
            package init(_ name: String) { self.name = name }
        }
    }
    package enum Removed {
        @Model package final class Trip {
            package var name = ""
            package init() {}
        }
        @Model package final class Tag {
            package var name = ""
            package init(_ name: String) { self.name = name }
        }
    }
    package enum New {
        @Model package final class Trip {
            package var name = ""
            package var Tags: [Tag] = []
            package init() {}
        }
        @Model package final class Tag {
            package var name = ""
            package init(_ name: String) { self.name = name }
        }
    }
}

/// A class whose name changes only in its case.
package enum CasedItem {
    package enum First {
        @Model package final class URLItem {
            package var title = ""
            package init() {}
        }
        @Model package final class Place {
            package var title = ""
            package init() {}
        }
    }
    package enum Second {
        @Model package final class UrlItem {
            package var title = ""
            package init() {}
        }
        @Model package final class Place {
            package var title = ""
            package init() {}
        }
    }
    package enum Renamed {
        @Model(originalName: "URLItem") package final class UrlItem {
            package var title = ""
            package init() {}
        }
        @Model package final class Place {
            package var title = ""
            package init() {}
        }
    }
    /// Another class gets the name.
    package enum Passed {
        @Model(originalName: "Place") package final class UrlItem {
            package var title = ""
            package init() {}
        }
    }
}

/// An app that renames what its widget has.
package enum WidgetItem {
    package enum App {
        @Model package final class Item {
            package var a = ""
            package init() {}
        }
    }
    package enum RenamedProperty {
        @Model package final class Item {
            @Attribute(originalName: "a") package var b = ""
            package init() {}
        }
    }
    package enum RenamedClass {
        @Model(originalName: "Item") package final class Thing {
            package var a = ""
            package init() {}
        }
    }
    package enum Widget {
        @Model package final class Item {
            package var a = ""
            package var c = 0
            package init() {}
        }
    }
    /// Without the renames.
    package enum UnawareWidget {
        @Model package final class Item {
            package var a = ""
            package var c = 0
            package var d = 0
            package init() {}
        }
    }
    package enum WidgetWithProperty {
        @Model package final class Item {
            @Attribute(originalName: "a") package var b = ""
            package var c = 0
            package var d = 0
            package init() {}
        }
    }
    package enum WidgetWithClass {
        @Model(originalName: "Item") package final class Thing {
            package var a = ""
            package var c = 0
            package var d = 0
            package init() {}
        }
    }
}

/// A class whose superclass changes.
package enum OwnedDog {
    package enum First {
        @Model package class Animal {
            package var name = ""
            package init() {}
        }
        @Model package class Pet: Animal { package var owner = "none" }
        @Model package final class Dog: Pet {}
    }
    package enum Second {
        @Model package class Animal {
            package var name = ""
            package init() {}
        }
        @Model package class Pet: Animal { package var owner = "none" }
        @Model package final class Dog: Animal {}
    }
    package enum Third {
        @Model package class Animal {
            package var name = ""
            package init() {}
        }
        @Model package class Pet: Animal { package var owner = "none" }
        @Model package final class Dog: Pet { package var legs = 4 }
    }
    package enum WithOptional {
        @Model package class Animal {
            package var name = ""
            package init() {}
        }
        @Model package class Pet: Animal { package var owner: String? = "none" }
        @Model package final class Dog: Pet { package var legs = 4 }
    }
    package enum BeforeOptional {
        @Model package class Animal {
            package var name = ""
            package init() {}
        }
        @Model package class Pet: Animal { package var owner: String? = "none" }
        @Model package final class Dog: Animal {}
    }
}

/// A property of a class between others that a program without the last one removes or adds.
package enum ChartedLeg {
    package enum First {
        @Model package class Leg {
            package var name = ""
            package init() {}
        }
        @Model package class Flight: Leg { package var gate: String? = "new" }
        @Model package final class Charter: Flight {}
    }
    package enum Removed {
        @Model package class Leg {
            package var name = ""
            package init() {}
        }
        @Model package class Flight: Leg {}
        @Model package final class Charter: Flight {}
    }
    package enum Widget {
        @Model package class Leg {
            package var name = ""
            package init() {}
        }
        @Model package final class Flight: Leg { package var gate: String? = "new" }
    }
    package enum Again {
        @Model package class Leg {
            package var name = ""
            package init() {}
        }
        @Model package class Flight: Leg { package var gate: String? = "new" }
        @Model package final class Charter: Flight { package var seats = 1 }
    }
}

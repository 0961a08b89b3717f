package import Chronicle

// Versions of models for `RenamedStore`.

/// A class that is removed, with relationships to classes that remain.
package enum NotedTrip {
    package enum First {
        @Model package final class Trip {
            package var name = ""
            @Relationship(deleteRule: .cascade, inverse: \Note.trip) package var notes: [Note] = []
            package init() {}
        }
        @Model package final class Note {
            package var text = ""
            package var trip: Trip?
            package var places: [Place] = []
            package var labels: [Label] = []
            package init() {}
        }
        @Model package final class Place {
            package var name = ""
            @Relationship(inverse: \Note.places) package var notes: [Note] = []
            package init() {}
        }
        @Model package final class Label {
            package var name = ""
            package init() {}
        }
    }
    package enum Second {
        @Model package final class Trip {
            package var name = ""
            package init() {}
        }
        @Model package final class Place {
            package var name = ""
            package init() {}
        }
        @Model package final class Label {
            package var name = ""
            package init() {}
        }
    }
    package enum Third {
        @Model(originalName: "Trip") package final class Journey {
            @Attribute(originalName: "name") package var title = ""
            package init() {}
        }
        @Model package final class Place {
            package var name = ""
            package init() {}
        }
        @Model package final class Label {
            package var name = ""
            package init() {}
        }
    }
}

/// A subclass that is removed when an inherited property is renamed.
package enum CrewedLeg {
    package enum First {
        @Model package class Leg {
            package var name = ""
            package init() {}
        }
        @Model package final class Flight: Leg {
            package var rating = 1
            package var pilot: Person

            package init(_ pilot: Person) {
                self.pilot = pilot
                super.init()
            }
        }
        @Model package final class Person { package init() {} }
    }
    package enum Second {
        @Model package final class Leg {
            @Attribute(originalName: "name") package var title = ""
            package init() {}
        }
        @Model package final class Person { package init() {} }
    }
}

/// A property and a class that are renamed.
package enum TitledTrip {
    package enum First: VersionedSchema {
        package static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
        package static var models: [any PersistentModel.Type] { [Trip.self, Stop.self] }

        @Model package final class Trip {
            package var name = ""
            package init() {}
        }
        @Model package final class Stop {
            package var place = ""
            package init() {}
        }
    }
    package enum Second: VersionedSchema {
        package static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
        package static var models: [any PersistentModel.Type] { [Trip.self, Halt.self] }

        @Model package final class Trip {
            @Attribute(originalName: "name") package var title = ""
            package init() {}
        }
        @Model(originalName: "Stop") package final class Halt {
            package var place = ""
            package init() {}
        }
    }
}

/// A relationship that is removed before other properties and the class are renamed.
package enum OwnedTrip {
    package enum First {
        @Model package final class Trip {
            package var code = ""
            package var owner: Person?
            package var guide: Person?
            package var helper: Person?
            package init() {}
        }
        @Model package final class Person {
            package var name = ""
            package init() {}
        }
    }
    package enum Second {
        @Model package final class Trip {
            package var code = ""
            package var guide: Person?
            package var helper: Person?
            package init() {}
        }
        @Model package final class Person {
            package var name = ""
            package init() {}
        }
    }
    package enum Third {
        @Model package final class Trip {
            @Attribute(originalName: "code") package var number = ""
            @Relationship(originalName: "guide") package var helper: Person?
            @Relationship(originalName: "helper") package var driver: Person?
            package init() {}
        }
        @Model package final class Person {
            package var name = ""
            package init() {}
        }
    }
    package enum Fourth {
        @Model(originalName: "Trip") package final class Journey {
            package var number = ""
            package var helper: Person?
            package var driver: Person?
            package init() {}
        }
        @Model package final class Person {
            package var name = ""
            package init() {}
        }
    }
    package enum Fifth {
        @Model package final class Journey {
            package var number = ""
            package var helper: Person?
            package var driver: Person?
            package var owner: Person?
            package init() {}
        }
        @Model package final class Person {
            package var name = ""
            package init() {}
        }
    }
}

/// A subclass of an app, which an extension with versions lacks.
package enum TitledFlight {
    package enum App {
        @Model package class Leg {
            package var name = ""
            package init() {}
        }
        @Model package final class Flight: Leg { package var title: String? }
    }
    package enum First: VersionedSchema {
        package static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
        package static var models: [any PersistentModel.Type] { [Leg.self] }

        @Model package final class Leg {
            package var name = ""
            package init() {}
        }
    }
    package enum Second: VersionedSchema {
        package static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
        package static var models: [any PersistentModel.Type] { [Leg.self] }

        @Model package final class Leg {
            @Attribute(originalName: "name") package var title = ""
            package init() {}
        }
    }
    /// A new property whose name differs only in its case.
    package enum Capitalized: VersionedSchema {
        package static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
        package static var models: [any PersistentModel.Type] { [Leg.self] }

        @Model package final class Leg {
            package var name = ""
            package var Title = ""
            package init() {}
        }
    }
}

/// A renamed property and class, of which another program does not declare the original names.
package enum Successor {
    package enum First {
        @Model package final class Trip {
            package var a: String?
            package init() {}
        }
        @Model package final class Road {
            package var name = ""
            package init() {}
        }
    }
    package enum Second {
        @Model package final class Trip {
            @Attribute(originalName: "a") package var b: String?
            package init() {}
        }
        @Model(originalName: "Road") package final class Street {
            package var name = ""
            package init() {}
        }
    }
    /// With another property and another class of the former names.
    package enum Third {
        @Model package final class Trip {
            @Attribute(originalName: "a") package var b: String?
            package var a: String?
            package init() {}
        }
        @Model(originalName: "Road") package final class Street {
            package var name = ""
            package init() {}
        }
        @Model package final class Road {
            package var name = ""
            package init() {}
        }
    }
    package enum Widget {
        @Model package final class Trip {
            package var b: String?
            package init() {}
        }
        @Model package final class Street {
            package var name = ""
            package init() {}
        }
    }
    package enum Fourth {
        @Model package final class Trip {
            @Attribute(originalName: "a") package var b: String?
            package var a: String?
            package var c: String?
            package init() {}
        }
        @Model(originalName: "Road") package final class Street {
            package var name = ""
            package init() {}
        }
        @Model package final class Road {
            package var name = ""
            package var length = 0
            package init() {}
        }
    }
    /// The names of the classes are passed on again, with a declaration that is equal to an earlier one.
    package enum Passed {
        @Model(originalName: "Street") package final class Lane {
            package var name = ""
            package init() {}
        }
        @Model(originalName: "Road") package final class Street {
            package var name = ""
            package init() {}
        }
    }
    package enum Unnamed {
        @Model package final class Trip {
            package var b: String?
            package var a: String?
            package init() {}
        }
        @Model package final class Street {
            package var name = ""
            package init() {}
        }
        @Model package final class Road {
            package var name = ""
            package init() {}
        }
    }
}

/// A property whose column is dropped for a renamed one.
package enum CodedTrip {
    package enum First {
        @Model package final class Trip {
            package var name: String?
            package init() {}
        }
    }
    package enum Second {
        @Model package final class Trip {
            package var code: String?
            package init() {}
        }
    }
    package enum Third {
        @Model package final class Trip {
            @Attribute(originalName: "code") package var name: String?
            package init() {}
        }
    }
    package enum Fourth {
        @Model package final class Trip {
            @Attribute(originalName: "name") package var title: String?
            package init() {}
        }
    }
}

/// A subclass with a constraint of a property that an extension without the class renames, and siblings.
package enum NumberedFlight {
    package enum App {
        @Model package class Leg {
            package var note = ""
            package init() {}
        }
        @Model package final class Flight: Leg {
            #Unique<Flight>([\.note, \.rating])
            package var rating = 1
            package var gate: String?
        }
        @Model package final class Ferry: Leg { package var gate: String? }
    }
    package enum Extension {
        @Model package class Leg {
            @Attribute(originalName: "note") package var remark = ""
            package init() {}
        }
        @Model package final class Ferry: Leg { @Attribute(originalName: "gate") package var pier: String? }
    }
    package enum Updated {
        @Model package class Leg {
            @Attribute(originalName: "note") package var remark = ""
            package init() {}
        }
        @Model package final class Flight: Leg {
            #Unique<Flight>([\.remark, \.rating])
            package var rating = 1
            @Attribute(originalName: "gate") package var pier: String?
        }
        @Model package final class Ferry: Leg { @Attribute(originalName: "gate") package var pier: String? }
    }
}

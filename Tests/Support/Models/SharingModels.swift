package import Chronicle
package import Foundation

/// The models of an app.
package enum SharingApp {
    package static let models: [any PersistentModel.Type] = [
        Journey.self, Stop.self, Port.self, Crew.self, Vessel.self, Ferry.self,
    ]

    @Model package final class Journey {
        #Index<Journey>([\.stars, \.name])
        @Attribute(.unique) package var code: String = ""
        package var name: String = ""
        package var stars: Int = 0
        /// The default value differs in each run.
        package var created: Date = Date()
        @Relationship(deleteRule: .cascade, inverse: \Stop.journey) package var stops: [Stop] = []
        package init(_ name: String, code: String) { (self.name, self.code) = (name, code) }
    }

    @Model package class Stop {
        package var label: String = ""
        package var journey: Journey?
        package init(_ label: String) { self.label = label }
    }

    @Model package final class Port: Stop {}

    @Model package final class Crew {
        package var name: String = ""
        @Relationship(deleteRule: .cascade, inverse: \Vessel.crews) package var vessels: [Vessel] = []
        package init(_ name: String) { self.name = name }
    }

    @Model package class Vessel {
        package var name: String = ""
        package var crews: [Crew] = []
        package init(_ name: String) { self.name = name }
    }

    @Model package final class Ferry: Vessel {
        @Attribute(.unique) package var line: Int? = nil
    }
}

/// The models of its widget, which declares fewer properties and classes.
package enum SharingWidget {
    package static let models: [any PersistentModel.Type] = [Journey.self, Stop.self, Crew.self, Vessel.self]

    @Model package final class Journey {
        package var name: String = ""
        package var stars: Int = 0
        package init(_ name: String) { self.name = name }
    }

    @Model package final class Stop {
        package var label: String = ""
        package var journey: Journey?
        package init(_ label: String) { self.label = label }
    }

    @Model package final class Crew {
        package var vessels: [Vessel] = []
        package init() {}
    }

    @Model package class Vessel {
        package var name: String = ""
        package init(_ name: String) { self.name = name }
    }
}

/// Models that store relationships of the app in other places.
package enum SharingClash {
    package static let toMany: [any PersistentModel.Type] = [Journey.self, Stop.self]
    package static let links: [any PersistentModel.Type] = [Vessel.self, Crew.self]

    @Model package final class Journey {
        package var name: String = ""
        package var stops: [Stop] = []
        package init(_ name: String) { self.name = name }
    }

    @Model package final class Stop {
        package var label: String = ""
        package init(_ label: String) { self.label = label }
    }

    @Model package final class Vessel {
        package var crews: [Crew] = []
        package init() {}
    }

    @Model package final class Crew {
        package var name: String = ""
        package init(_ name: String) { self.name = name }
    }
}

/// A required relationship with a delete rule.
package enum RuledTrip {
    @Model package final class Trip {
        @Relationship(deleteRule: .cascade) package var owner: Person
        package init(_ owner: Person) { self.owner = owner }
    }

    @Model package final class Person {
        package var name = "Ada"
        package init() {}
    }
}

/// The same relationship with another name.
package enum RenamedTrip {
    @Model package final class Trip {
        @Relationship(deleteRule: .cascade, originalName: "owner") package var holder: Person
        package init(_ holder: Person) { self.holder = holder }
    }

    @Model package final class Person {
        package var name = "Ada"
        package init() {}
    }
}

/// An app with a subclass, and programs that lack it and declare its property in the superclass.
package enum RatedLeg {
    package enum App {
        @Model package class Leg { package init() {} }
        @Model package final class Flight: Leg {
            package var rating: Int?
            package var tags: [Tag] = []
        }
        @Model package final class Tag { package init() {} }
    }
    package enum Same {
        @Model package final class Leg {
            package var rating: Int = 3
            package var tags: [Tag] = []
            package init() {}
        }
        @Model package final class Tag { package init() {} }
    }
    package enum Other {
        @Model package final class Leg {
            package var rating: String?
            package init() {}
        }
    }
    /// Only the subclass has the renamed property.
    package enum Renamed {
        @Model package final class Leg {
            @Attribute(originalName: "rating") package var score: Int = 3
            package init() {}
        }
    }
    package enum Updated {
        @Model package class Leg { package init() {} }
        @Model package final class Flight: Leg {
            @Attribute(originalName: "rating") package var score: Int?
            package var tags: [Tag] = []
        }
        @Model package final class Tag { package init() {} }
    }
    /// A form that has only some of the values.
    package enum Narrow {
        @Model package final class Leg {
            package var rating: Int8?
            package init() {}
        }
    }
    package enum Real {
        @Model package final class Leg {
            package var rating: Double?
            package init() {}
        }
    }
}

/// A program that lacks the subclass of an app, and then moves its own property to it.
package enum CodedLeg {
    package enum First {
        @Model package final class Leg {
            package var code: Int = 0
            package init() {}
        }
    }
    package enum Second {
        @Model package class Leg { package init() {} }
        @Model package final class Flight: Leg { package var code: Int = 1 }
    }
    package enum Renamed {
        @Model package final class Leg {
            @Attribute(originalName: "code") package var number: Int = 0
            package init() {}
        }
    }
    package enum Other {
        @Model package final class Leg {
            package var number: Int = 0
            package var code: Int?
            package init() {}
        }
    }
    package enum Owned {
        @Model package final class Leg {
            package var code: Owner?
            package init() {}
        }
        @Model package final class Owner { package init() {} }
    }
    package enum Plain {
        @Model package final class Leg { package init() {} }
    }
    package enum Updated {
        @Model package final class Leg {
            @Attribute(originalName: "code") package var number: Int = 0
            package var note: String?
            package init() {}
        }
    }
}

/// The versions of an app and of its extension, which renames what the app still uses, and removes it in its next version.
package enum RenamedStop {
    package enum First {
        @Model package final class Stop {
            package var name = ""
            package var note: String?
            @Relationship(deleteRule: .cascade) package var signs: [Sign] = []
            package init() {}
        }
        @Model package final class Sign { package init() {} }
        @Model package final class Pier {
            package var length = 0
            package init() {}
        }
        package static let models: [any PersistentModel.Type] = [Stop.self, Sign.self, Pier.self]
    }
    /// Names of properties and of classes move on in chains.
    package enum Second {
        @Model(originalName: "Stop") package final class Pier {
            @Attribute(originalName: "name") package var note = ""
            @Attribute(originalName: "note") package var remark: String?
            @Relationship(deleteRule: .cascade, originalName: "signs") package var boards: [Sign] = []
            package init() {}
        }
        @Model package final class Sign { package init() {} }
        @Model(originalName: "Pier") package final class Quay {
            @Attribute(originalName: "length") package var width = 0
            package init() {}
        }
        package static let models: [any PersistentModel.Type] = [Pier.self, Sign.self, Quay.self]
    }
    /// The extension uses none of it any more.
    package enum Third {
        @Model package final class Pier {
            package var code: String?
            package init() {}
        }
        @Model package final class Sign { package init() {} }
        @Model package final class Quay {
            package var code: String?
            package init() {}
        }
        package static let models: [any PersistentModel.Type] = [Pier.self, Sign.self, Quay.self]
    }
}

/// A program that removes a subclass and renames a property that it had, passes the name on, and declares the subclass again.
package enum NotedLeg {
    package enum First {
        @Model package class Leg { package init() {} }
        @Model package final class Flight: Leg { package var note: String? }
        @Model package final class Drive: Leg {
            package var note: String?
            package var mark: String?
        }
        package static let models: [any PersistentModel.Type] = [Leg.self, Flight.self, Drive.self]
    }
    package enum Second {
        @Model package class Leg { package init() {} }
        @Model package final class Drive: Leg {
            @Attribute(originalName: "note") package var remark: String?
            package var mark: String?
        }
        package static let models: [any PersistentModel.Type] = [Leg.self, Drive.self]
    }
    package enum Third {
        @Model package class Leg { package init() {} }
        @Model package final class Flight: Leg {}
        @Model package final class Drive: Leg {
            package var remark: String?
            @Attribute(originalName: "mark") package var note: String?
        }
        package static let models: [any PersistentModel.Type] = [Leg.self, Flight.self, Drive.self]
    }
}

/// An app with lists in both directions, and a program without them that renames a class. The name of the table of links depends
/// on the order of the names.
package enum WrittenText {
    package enum App {
        @Model package final class Author {
            @Relationship(inverse: \Text.authors) package var texts: [Text] = []
            package init() {}
        }
        @Model package final class Text {
            package var authors: [Author] = []
            package init() {}
        }
    }
    package enum Renamed {
        @Model(originalName: "Author") package final class Writer { package init() {} }
        @Model package final class Text { package init() {} }
    }
    package enum Updated {
        @Model(originalName: "Author") package final class Writer {
            @Relationship(inverse: \Text.authors) package var texts: [Text] = []
            package init() {}
        }
        @Model package final class Text {
            package var authors: [Writer] = []
            package init() {}
        }
    }
}

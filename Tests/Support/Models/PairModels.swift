package import Chronicle

/// Models with one-to-one relationships of every kind: between two classes, of a class with itself, of a class that others
/// inherit from, of a class that inherits, and with a required side.
package let pairModels: [any PersistentModel.Type] = [
    Resident.self, Warden.self, Locker.self, Badge.self, Permit.self,
]

@Model package class Resident {
    package var name: String
    @Relationship(inverse: \Resident.predecessor) package var successor: Resident?
    package var predecessor: Resident?
    @Relationship(deleteRule: .cascade, inverse: \Locker.holder) package var locker: Locker?
    @Relationship(deleteRule: .cascade, inverse: \Permit.resident) package var permit: Permit?
    package init(_ name: String) { self.name = name }
}

@Model package final class Warden: Resident {
    @Relationship(inverse: \Badge.warden) package var badge: Badge?
}

@Model package final class Locker {
    package var number: Int
    package var holder: Resident?
    package init(_ number: Int) { self.number = number }
}

@Model package final class Badge {
    package var number: Int
    package var warden: Warden?
    package init(_ number: Int) { self.number = number }
}

@Model package final class Permit {
    package var number: Int
    package var resident: Resident
    package init(_ number: Int, of resident: Resident) {
        self.number = number
        self.resident = resident
    }
}

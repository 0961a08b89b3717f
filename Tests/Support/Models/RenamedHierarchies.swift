package import Chronicle

/// Models that inherit from each other.
package enum Harbor {
    @Model
    package class Ship {
        package var name: String

        package init(name: String) { self.name = name }
    }

    @Model
    package class Steamer: Ship {
        package var boilers = 1
    }

    @Model
    package final class Tug: Steamer {
        package var power = 1
    }
}

/// Only the first two of the models.
package enum EarlierHarbor {
    @Model
    package class Ship {
        package var name: String?

        package init(name: String?) { self.name = name }
    }

    @Model
    package final class Steamer: Ship {
        package var boilers = 1
    }
}

/// The same models with other names, of which one is the previous name of another.
package enum RenamedHarbor {
    @Model(originalName: "Ship")
    package class Vessel {
        package var name: String

        package init(name: String) { self.name = name }
    }

    @Model(originalName: "Steamer")
    package class Tug: Vessel {
        package var boilers = 1
    }

    @Model(originalName: "Tug")
    package final class Towboat: Tug {
        package var power = 1
    }
}

import Chronicle

class Vessel: PersistentModel {
    @Attribute(.preserveValueOnDeletion) var name: String
    @Attribute var length = 0

    static let properties: PropertyMap<Vessel> = ["name": \.name, "length": \.length]
    class var modelSubclass: ModelSubclass? { nil }
    let persistentBackingData: any BackingData<Vessel> = Vessel.createBackingData()
    required init(backingData: any BackingData<Vessel>) { persistentBackingData.adopt(backingData) }

    init(_ name: String) { self.name = name }
}

class Ferry: Vessel {
    @Attribute var decks = 1

    override class var modelSubclass: ModelSubclass? {
        ModelSubclass(["name": \Ferry.name, "length": \.length, "decks": \.decks])
    }
}

final class TrainFerry: Ferry {
    @Attribute var tracks: Int?

    override class var modelSubclass: ModelSubclass? {
        ModelSubclass(["name": \TrainFerry.name, "length": \.length, "decks": \.decks, "tracks": \.tracks])
    }
}

final class Yacht: Vessel {
    @Attribute var berths = 2

    override class var modelSubclass: ModelSubclass? {
        ModelSubclass(["name": \Yacht.name, "length": \.length, "berths": \.berths])
    }
}

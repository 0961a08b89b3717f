import Chronicle
import Foundation

/// Handwritten equivalents of the models in the macro tests.
enum ByHand {
    final class Journey: PersistentModel {
        @Attribute(.preserveValueOnDeletion, originalName: "title") var name: String
        @Attribute var code: Int
        @Attribute var start: Date = Date(timeIntervalSinceReferenceDate: 0)
        @Attribute var note: String?
        @Attribute var kind = ChronicleMacrosTests.Journey.Kind.leisure
        @Attribute var address: ChronicleMacrosTests.Journey.Address = ChronicleMacrosTests.Journey.Address()
        @Attribute var tags: [String] = []
        @Attribute private(set) var visits = 0
        @Attribute var rating: Int = 3
        @Relationship var lodging: Lodging?
        @Relationship(deleteRule: .cascade, inverse: \Stop.journey) var stops: [Stop]
        @Relationship var companions: Set<Companion>

        static let properties: PropertyMap<Journey> = [
            "name": \.name, "code": \.code, "start": \.start, "note": \.note, "kind": \.kind, "address": \.address,
            "tags": \.tags, "visits": \.visits, "rating": \.rating, "lodging": \.lodging, "stops": \.stops,
            "companions": \.companions,
        ]
        static let uniqueness: Uniqueness<Journey> = [[\.code], [\.name, \.start]]
        let persistentBackingData: any BackingData<Journey>
        init(backingData: any BackingData<Journey>) { persistentBackingData = backingData }

        init(name: String, code: Int) {
            persistentBackingData = Journey.createBackingData()
            self.name = name
            self.code = code
        }
    }

    class Stop: PersistentModel {
        @Attribute var place: String
        @Relationship var journey: Journey?

        static let properties: PropertyMap<Stop> = ["place": \.place, "journey": \.journey]
        let persistentBackingData: any BackingData<Stop>
        required init(backingData: any BackingData<Stop>) { persistentBackingData = backingData }

        init(place: String, journey: Journey? = nil) {
            persistentBackingData = Stop.createBackingData()
            self.place = place
            self.journey = journey
        }
    }

    final class Lodging: PersistentModel {
        @Attribute var name = ""
        @Relationship var journey: Journey?

        static let properties: PropertyMap<Lodging> = ["name": \.name, "journey": \.journey]
        let persistentBackingData: any BackingData<Lodging>
        init(backingData: any BackingData<Lodging>) { persistentBackingData = backingData }
    }

    class Companion: PersistentModel {
        @Attribute var name: String
        @Relationship var journey: Journey?
        @Relationship var club: Club?

        static let properties: PropertyMap<Companion> = ["name": \.name, "journey": \.journey, "club": \.club]
        let persistentBackingData: any BackingData<Companion>
        required init(backingData: any BackingData<Companion>) { persistentBackingData = backingData }
    }

    final class Club: PersistentModel {
        @Relationship var members: [Companion]?

        static let properties: PropertyMap<Club> = ["members": \.members]
        let persistentBackingData: any BackingData<Club>
        init(backingData: any BackingData<Club>) { persistentBackingData = backingData }
    }
}

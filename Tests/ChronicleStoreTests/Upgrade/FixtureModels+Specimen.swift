import Chronicle
import Foundation

extension FixtureModels {
    /// An attribute of every type that can be stored, and an optional one. All are preserved on deletion, so that
    /// tombstones have every stored form.
    final class Specimen: PersistentModel {
        enum Mood: String { case good, bad = "b'ad" }

        enum Shade: Int, Codable { case light, medium, dark }

        struct Flags: OptionSet, Codable {
            let rawValue: UInt16
        }

        enum Shape: Codable {
            case point
            case circle(radius: Double)
            case box(Int, Int)
        }

        struct Place: Codable {
            var street: String
            var numbers: [Double]
            var since: Date?
        }

        @Attribute(.unique, .preserveValueOnDeletion) var code: Int
        @Attribute var remark = ""
        @Attribute(.preserveValueOnDeletion) var bool: Bool = false
        @Attribute(.preserveValueOnDeletion) var int: Int = 0
        @Attribute(.preserveValueOnDeletion) var int8: Int8 = 0
        @Attribute(.preserveValueOnDeletion) var int16: Int16 = 0
        @Attribute(.preserveValueOnDeletion) var int32: Int32 = 0
        @Attribute(.preserveValueOnDeletion) var int64: Int64 = 0
        @Attribute(.preserveValueOnDeletion) var int128: Int128 = 0
        @Attribute(.preserveValueOnDeletion) var uint: UInt = 0
        @Attribute(.preserveValueOnDeletion) var uint8: UInt8 = 0
        @Attribute(.preserveValueOnDeletion) var uint16: UInt16 = 0
        @Attribute(.preserveValueOnDeletion) var uint32: UInt32 = 0
        @Attribute(.preserveValueOnDeletion) var uint64: UInt64 = 0
        @Attribute(.preserveValueOnDeletion) var uint128: UInt128 = 0
        @Attribute(.preserveValueOnDeletion) var float: Float = 0
        @Attribute(.preserveValueOnDeletion) var double: Double = 0
        @Attribute(.preserveValueOnDeletion) var string: String = ""
        @Attribute(.preserveValueOnDeletion) var date: Date = Date(timeIntervalSinceReferenceDate: 0)
        @Attribute(.preserveValueOnDeletion) var data: Data = Data()
        @Attribute(.preserveValueOnDeletion) var uuid: UUID = UUID(
            uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
        @Attribute(.preserveValueOnDeletion) var url: URL = URL(fileURLWithPath: "/")
        @Attribute(.preserveValueOnDeletion) var decimal: Decimal = Decimal(0)
        @Attribute(.preserveValueOnDeletion) var mood: Mood = .good
        @Attribute(.preserveValueOnDeletion) var shade: Shade = .light
        @Attribute(.preserveValueOnDeletion) var flags: Flags = []
        @Attribute(.preserveValueOnDeletion) var shape: Shape = .point
        @Attribute(.preserveValueOnDeletion) var place: Place = Place(street: "", numbers: [])
        @Attribute(.preserveValueOnDeletion) var strings: [String] = []
        @Attribute(.preserveValueOnDeletion) var numbers: [Double] = []
        @Attribute(.preserveValueOnDeletion) var counts: [String: Int] = [:]
        @Attribute(.preserveValueOnDeletion) var places: [Place] = []
        @Attribute(.preserveValueOnDeletion) var optionalBool: Bool?
        @Attribute(.preserveValueOnDeletion) var optionalInt: Int?
        @Attribute(.preserveValueOnDeletion) var optionalInt8: Int8?
        @Attribute(.preserveValueOnDeletion) var optionalInt16: Int16?
        @Attribute(.preserveValueOnDeletion) var optionalInt32: Int32?
        @Attribute(.preserveValueOnDeletion) var optionalInt64: Int64?
        @Attribute(.preserveValueOnDeletion) var optionalInt128: Int128?
        @Attribute(.preserveValueOnDeletion) var optionalUInt: UInt?
        @Attribute(.preserveValueOnDeletion) var optionalUInt8: UInt8?
        @Attribute(.preserveValueOnDeletion) var optionalUInt16: UInt16?
        @Attribute(.preserveValueOnDeletion) var optionalUInt32: UInt32?
        @Attribute(.preserveValueOnDeletion) var optionalUInt64: UInt64?
        @Attribute(.preserveValueOnDeletion) var optionalUInt128: UInt128?
        @Attribute(.preserveValueOnDeletion) var optionalFloat: Float?
        @Attribute(.preserveValueOnDeletion) var optionalDouble: Double?
        @Attribute(.preserveValueOnDeletion) var optionalString: String?
        @Attribute(.preserveValueOnDeletion) var optionalDate: Date?
        @Attribute(.preserveValueOnDeletion) var optionalData: Data?
        @Attribute(.preserveValueOnDeletion) var optionalUUID: UUID?
        @Attribute(.preserveValueOnDeletion) var optionalURL: URL?
        @Attribute(.preserveValueOnDeletion) var optionalDecimal: Decimal?
        @Attribute(.preserveValueOnDeletion) var optionalMood: Mood?
        @Attribute(.preserveValueOnDeletion) var optionalShade: Shade?
        @Attribute(.preserveValueOnDeletion) var optionalFlags: Flags?
        @Attribute(.preserveValueOnDeletion) var optionalShape: Shape?
        @Attribute(.preserveValueOnDeletion) var optionalPlace: Place?
        @Attribute(.preserveValueOnDeletion) var optionalStrings: [String]?
        @Attribute(.preserveValueOnDeletion) var optionalNumbers: [Double]?
        @Attribute(.preserveValueOnDeletion) var optionalCounts: [String: Int]?
        @Attribute(.preserveValueOnDeletion) var optionalPlaces: [Place]?
        @Relationship var tags: [Tag]

        static let properties: PropertyMap<Specimen> = [
            "code": \.code, "remark": \.remark, "bool": \.bool, "int": \.int,
            "int8": \.int8, "int16": \.int16, "int32": \.int32, "int64": \.int64,
            "int128": \.int128, "uint": \.uint, "uint8": \.uint8, "uint16": \.uint16,
            "uint32": \.uint32, "uint64": \.uint64, "uint128": \.uint128, "float": \.float,
            "double": \.double, "string": \.string, "date": \.date, "data": \.data,
            "uuid": \.uuid, "url": \.url, "decimal": \.decimal, "mood": \.mood,
            "shade": \.shade, "flags": \.flags, "shape": \.shape, "place": \.place,
            "strings": \.strings, "numbers": \.numbers, "counts": \.counts, "places": \.places,
            "optionalBool": \.optionalBool, "optionalInt": \.optionalInt, "optionalInt8": \.optionalInt8,
            "optionalInt16": \.optionalInt16,
            "optionalInt32": \.optionalInt32, "optionalInt64": \.optionalInt64, "optionalInt128": \.optionalInt128,
            "optionalUInt": \.optionalUInt,
            "optionalUInt8": \.optionalUInt8, "optionalUInt16": \.optionalUInt16, "optionalUInt32": \.optionalUInt32,
            "optionalUInt64": \.optionalUInt64,
            "optionalUInt128": \.optionalUInt128, "optionalFloat": \.optionalFloat, "optionalDouble": \.optionalDouble,
            "optionalString": \.optionalString,
            "optionalDate": \.optionalDate, "optionalData": \.optionalData, "optionalUUID": \.optionalUUID,
            "optionalURL": \.optionalURL,
            "optionalDecimal": \.optionalDecimal, "optionalMood": \.optionalMood, "optionalShade": \.optionalShade,
            "optionalFlags": \.optionalFlags,
            "optionalShape": \.optionalShape, "optionalPlace": \.optionalPlace, "optionalStrings": \.optionalStrings,
            "optionalNumbers": \.optionalNumbers,
            "optionalCounts": \.optionalCounts, "optionalPlaces": \.optionalPlaces, "tags": \.tags,
        ]
        let persistentBackingData: any BackingData<Specimen>
        init(backingData: any BackingData<Specimen>) { persistentBackingData = backingData }
        init(_ code: Int) {
            persistentBackingData = Specimen.createBackingData()
            self.code = code
        }
    }
}

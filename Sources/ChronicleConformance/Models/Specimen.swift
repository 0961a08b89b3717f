import Chronicle
import Foundation

/// A model with an attribute of every storable type.
final class Specimen: PersistentModel {
    enum Mood: String { case good, bad = "b'ad" }

    enum Shade: Int, Codable, CaseIterable { case light, medium, dark }

    struct Place: Codable, Hashable {
        var street: String
        var numbers: [Double]
        var since: Date?
    }

    @Attribute var bool = false
    @Attribute var int = 0
    @Attribute var int8: Int8 = 0
    @Attribute var int16: Int16 = 0
    @Attribute var int32: Int32 = 0
    @Attribute var int64: Int64 = 0
    @Attribute var uint8: UInt8 = 0
    @Attribute var uint64: UInt64 = 0
    @Attribute var double = 0.0
    @Attribute var float: Float = 0
    @Attribute var string = ""
    @Attribute var date = Date(timeIntervalSinceReferenceDate: 0)
    @Attribute var data = Data()
    @Attribute var uuid = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    @Attribute var url = URL(filePath: "/")
    @Attribute var decimal = Decimal(0)
    @Attribute var mood = Mood.good
    @Attribute var shade = Shade.light
    @Attribute var place = Place(street: "", numbers: [], since: nil)
    @Attribute var array: [String] = []
    @Attribute var dictionary: [String: Int] = [:]
    @Attribute var optionalInt: Int?
    @Attribute var optionalDouble: Double?
    @Attribute var optionalString: String?
    @Attribute var optionalDate: Date?
    @Attribute var optionalData: Data?
    @Attribute var optionalMood: Mood?
    @Attribute var optionalPlace: Place?
    @Attribute var optionalArray: [Date]?

    static let properties: PropertyMap<Specimen> = [
        "bool": \.bool, "int": \.int, "int8": \.int8, "int16": \.int16, "int32": \.int32, "int64": \.int64,
        "uint8": \.uint8, "uint64": \.uint64, "double": \.double, "float": \.float, "string": \.string, "date": \.date,
        "data": \.data, "uuid": \.uuid, "url": \.url, "decimal": \.decimal, "mood": \.mood, "shade": \.shade,
        "place": \.place,
        "array": \.array, "dictionary": \.dictionary, "optionalInt": \.optionalInt,
        "optionalDouble": \.optionalDouble, "optionalString": \.optionalString, "optionalDate": \.optionalDate,
        "optionalData": \.optionalData, "optionalMood": \.optionalMood, "optionalPlace": \.optionalPlace,
        "optionalArray": \.optionalArray,
    ]
    let persistentBackingData: any BackingData<Specimen>
    init(backingData: any BackingData<Specimen>) { persistentBackingData = backingData }
    init() { persistentBackingData = Specimen.createBackingData() }

    /// The values in a form whose equality is bit for bit, where `==` of the type is weaker.
    var values: [(name: String, value: AnyHashable)] {
        [
            ("bool", bool), ("int", int), ("int8", int8), ("int16", int16), ("int32", int32), ("int64", int64),
            ("uint8", uint8), ("uint64", uint64), ("double", double.bitPattern), ("float", float.bitPattern),
            ("string", Array(string.unicodeScalars)), ("date", date.timeIntervalSinceReferenceDate.bitPattern),
            ("data", data), ("uuid", uuid), ("url", url.absoluteString), ("decimal", decimal),
            ("mood", mood), ("shade", shade), ("place", place), ("array", array), ("dictionary", dictionary),
            ("optionalInt", optionalInt), ("optionalDouble", optionalDouble?.bitPattern),
            ("optionalString", optionalString.map { Array($0.unicodeScalars) }),
            ("optionalDate", optionalDate?.timeIntervalSinceReferenceDate.bitPattern), ("optionalData", optionalData),
            ("optionalMood", optionalMood), ("optionalPlace", optionalPlace), ("optionalArray", optionalArray),
        ]
    }

    func copy(_ other: Specimen) {
        (bool, int, int8, int16, int32) = (other.bool, other.int, other.int8, other.int16, other.int32)
        (int64, uint8, uint64, double) = (other.int64, other.uint8, other.uint64, other.double)
        (float, string, date, data) = (other.float, other.string, other.date, other.data)
        (uuid, url, decimal, mood, shade) = (other.uuid, other.url, other.decimal, other.mood, other.shade)
        (place, array, dictionary) = (other.place, other.array, other.dictionary)
        (optionalInt, optionalDouble, optionalString) = (other.optionalInt, other.optionalDouble, other.optionalString)
        (optionalDate, optionalData, optionalMood) = (other.optionalDate, other.optionalData, other.optionalMood)
        (optionalPlace, optionalArray) = (other.optionalPlace, other.optionalArray)
    }
}

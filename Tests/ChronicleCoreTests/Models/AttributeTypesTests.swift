import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// Values of every type round-trip exactly.
@Suite struct AttributeTypesTests {
    @Test(arguments: StoreKind.allCases)
    func extremeValuesRoundTrip(_ kind: StoreKind) throws {
        let store = try TestStore(kind, [Everything.self])
        let context = store.context()
        let samples = Everything.samples()
        for sample in samples { context.insert(sample) }
        try context.save()

        let found = try ModelContext(store.container).fetch(FetchDescriptor<Everything>())
        #expect(found.count == samples.count)
        for (saved, read) in zip(samples, found) { expectSame(saved, read) }
    }

    @Test func extremeValuesRoundTripAfterReopening() throws {
        let store = try TestStore(.file, [Everything.self])
        let context = store.context()
        let samples = Everything.samples()
        for sample in samples { context.insert(sample) }
        try context.save()
        let found = try ModelContext(store.reopened([Everything.self])).fetch(FetchDescriptor<Everything>())
        for (saved, read) in zip(samples, found) { expectSame(saved, read) }
    }

    @Test(arguments: StoreKind.allCases)
    func updatesOfEveryTypeAreWritten(_ kind: StoreKind) throws {
        let store = try TestStore(kind, [Everything.self])
        let context = store.context()
        let model = Everything()
        context.insert(model)
        try context.save()
        for sample in Everything.samples() {
            model.copy(sample)
            try context.save()
            let read = try #require(try ModelContext(store.container).fetch(FetchDescriptor<Everything>()).first)
            expectSame(sample, read)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func savingAValueOutOfRangeThrows(_ kind: StoreKind) throws {
        let store = try TestStore(kind, [Everything.self])
        let context = store.context()
        let model = Everything()
        model.uint64 = UInt64.max
        context.insert(model)
        do {
            try context.save()
            Issue.record("UInt64.max was saved")
        } catch let error as SwiftDataError {
            #expect(error == .valueOutOfRange)
            #expect(SwiftDataError.modelValidationFailure ~= error)
            #expect(error.propertyName == "uint64")
        }
        #expect(model.uint64 == UInt64.max)
        #expect(context.hasChanges)
        // Foundation can compare the value, and stops the program if a calculation overflows.
        let isLarge = FetchDescriptor<Everything>(predicate: #Predicate { $0.uint64 > 5 })
        #expect(try context.fetchCount(isLarge) == 1)
        let isHalf = FetchDescriptor<Everything>(predicate: #Predicate { $0.uint64 > 5 && $0.double / 2 < 1 })
        #expect(try context.fetchCount(isHalf) == 1)
        let isLarger = FetchDescriptor<Everything>(predicate: #Predicate { $0.int > 5 || $0.uint64 + 1 > 5 })
        #expect(throws: SwiftDataError.valueOutOfRange) { try context.fetchCount(isLarger) }
        model.uint64 = UInt64(Int64.max)
        try context.save()
        #expect(
            try ModelContext(store.container).fetch(FetchDescriptor<Everything>()).first?.uint64 == UInt64(Int64.max))
    }

    @Test func hundredMegabytesRoundTrip() throws {
        let store = try TestStore(.file, [Everything.self])
        let context = store.context()
        let model = Everything()
        var bytes = Data(count: 100_000_000)
        for index in stride(from: 0, to: bytes.count, by: 9_973) { bytes[index] = UInt8(truncatingIfNeeded: index) }
        model.data = bytes
        context.insert(model)
        try context.save()
        let read = try #require(
            try ModelContext(store.reopened([Everything.self])).fetch(FetchDescriptor<Everything>()).first)
        #expect(read.data == bytes)
    }

    @Test func storedValueOfAnotherTypeThrows() throws {
        let store = try TestStore(.file, [Everything.self])
        let context = store.context()
        context.insert(Everything())
        try context.save()
        try store.shell("UPDATE Everything SET int8 = 4711")
        do {
            _ = try ModelContext(store.container).fetch(FetchDescriptor<Everything>())
            Issue.record("4711 was read as an Int8")
        } catch let error as SwiftDataError {
            #expect(error == .undecodableValue)
            #expect(error.entityName == "Everything")
            #expect(error.propertyName == "int8")
        }
        try store.shell("UPDATE Everything SET int8 = 1, codable = 'no JSON'")
        #expect(throws: SwiftDataError.undecodableValue) {
            try ModelContext(store.container).fetch(FetchDescriptor<Everything>())
        }
    }

    private func expectSame(_ a: Everything, _ b: Everything) {
        #expect(a.values.map(\.0) == b.values.map(\.0))
        for (left, right) in zip(a.values, b.values) { #expect(left.1 == right.1, "\(left.0)") }
    }
}

enum Temper: String { case good, bad = "b'ad" }

struct Address: Codable, Hashable {
    var street: String
    var numbers: [Double]
    var since: Date?
}

final class Everything: PersistentModel {
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
    @Attribute var url = URL(string: "https://example.org")!
    @Attribute var decimal = Decimal(0)
    @Attribute var mood = Temper.good
    @Attribute var codable = Address(street: "", numbers: [], since: nil)
    @Attribute var array: [String] = []
    @Attribute var dictionary: [String: Int] = [:]
    @Attribute var optionalInt: Int?
    @Attribute var optionalDouble: Double?
    @Attribute var optionalString: String?
    @Attribute var optionalDate: Date?
    @Attribute var optionalData: Data?
    @Attribute var optionalMood: Temper?
    @Attribute var optionalCodable: Address?
    @Attribute var optionalArray: [Date]?

    static let properties: PropertyMap<Everything> = [
        "bool": \.bool, "int": \.int, "int8": \.int8, "int16": \.int16, "int32": \.int32, "int64": \.int64,
        "uint8": \.uint8, "uint64": \.uint64, "double": \.double, "float": \.float, "string": \.string, "date": \.date,
        "data": \.data, "uuid": \.uuid, "url": \.url, "decimal": \.decimal, "mood": \.mood, "codable": \.codable,
        "array": \.array, "dictionary": \.dictionary, "optionalInt": \.optionalInt,
        "optionalDouble": \.optionalDouble, "optionalString": \.optionalString, "optionalDate": \.optionalDate,
        "optionalData": \.optionalData, "optionalMood": \.optionalMood, "optionalCodable": \.optionalCodable,
        "optionalArray": \.optionalArray,
    ]
    let persistentBackingData: any BackingData<Everything>
    init(backingData: any BackingData<Everything>) { persistentBackingData = backingData }
    init() { persistentBackingData = Everything.createBackingData() }

    /// Compares bit patterns, because `==` would accept different ones.
    var values: [(String, AnyHashable)] {
        [
            ("bool", bool), ("int", int), ("int8", int8), ("int16", int16), ("int32", int32), ("int64", int64),
            ("uint8", uint8), ("uint64", uint64), ("double", double.bitPattern), ("float", float.bitPattern),
            ("string", Array(string.unicodeScalars)), ("date", date.timeIntervalSinceReferenceDate.bitPattern),
            ("data", data), ("uuid", uuid), ("url", url.absoluteString), ("base", url.baseURL), ("decimal", decimal),
            ("mood", mood), ("codable", codable), ("array", array), ("dictionary", dictionary),
            ("optionalInt", optionalInt), ("optionalDouble", optionalDouble?.bitPattern),
            ("optionalString", optionalString.map { Array($0.unicodeScalars) }),
            ("optionalDate", optionalDate?.timeIntervalSinceReferenceDate.bitPattern), ("optionalData", optionalData),
            ("optionalMood", optionalMood), ("optionalCodable", optionalCodable), ("optionalArray", optionalArray),
        ]
    }

    func copy(_ other: Everything) {
        (bool, int, int8, int16, int32, int64) = (
            other.bool, other.int, other.int8, other.int16, other.int32, other.int64
        )
        (uint8, uint64, double, float, string) = (other.uint8, other.uint64, other.double, other.float, other.string)
        (date, data, uuid, url, decimal, mood) = (
            other.date, other.data, other.uuid, other.url, other.decimal, other.mood
        )
        (codable, array, dictionary) = (other.codable, other.array, other.dictionary)
        (optionalInt, optionalDouble, optionalString) = (other.optionalInt, other.optionalDouble, other.optionalString)
        (optionalDate, optionalData, optionalMood) = (other.optionalDate, other.optionalData, other.optionalMood)
        (optionalCodable, optionalArray) = (other.optionalCodable, other.optionalArray)
    }

    static func samples() -> [Everything] {
        let low = Everything()
        (low.bool, low.int, low.int8, low.int16, low.int32, low.int64) = (true, .min, .min, .min, .min, .min)
        (low.double, low.float, low.string) = (-0.0, -0.0, "nul \0 inside\0")
        low.date = Date(timeIntervalSinceReferenceDate: -0.0)
        low.data = Data([0, 255, 0])
        (low.decimal, low.mood) = (Decimal(string: "-0.000000000000000000000000000000000001")!, .bad)
        low.codable = Address(
            street: "q'\"\0", numbers: [0.1, .infinity, -0.0], since: .init(timeIntervalSince1970: 0.1))
        low.url = URL(string: "b?c#d", relativeTo: URL(string: "https://example.org/a/"))!

        let high = Everything()
        (high.int, high.int8, high.int16, high.int32, high.int64) = (.max, .max, .max, .max, .max)
        (high.uint8, high.uint64) = (.max, UInt64(Int64.max))
        (high.double, high.float, high.string) = (.infinity, .infinity, "e\u{301} is not \u{e9}, 🧳")
        high.date = .distantFuture
        high.uuid = UUID()
        high.decimal = Decimal(string: "12345678901234567890123456789012345678")!
        (high.array, high.dictionary) = (["", "a\0b", "\u{10FFFF}"], ["": 1, "k": .min])
        (high.optionalInt, high.optionalDouble, high.optionalString) = (.min, .nan, "")
        (high.optionalDate, high.optionalData, high.optionalMood) = (.distantPast, Data(), .bad)
        (high.optionalCodable, high.optionalArray) = (high.codable, [Date(timeIntervalSinceReferenceDate: 0.1)])

        let strange = Everything()
        (strange.double, strange.float) = (Double(bitPattern: 0x7FF8_0000_DEAD_BEEF), Float(bitPattern: 0x7FC0_1234))
        strange.date = Date(timeIntervalSinceReferenceDate: .leastNonzeroMagnitude)
        (strange.optionalDouble, strange.optionalArray) = (-Double.infinity, [])
        return [low, high, strange, Everything()]
    }
}

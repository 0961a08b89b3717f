import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

#if Postgres
    import ChroniclePostgres
#endif

@Model private final class Sample {
    struct Part: Codable, Hashable {
        var date: Date
        var number: Double
        var text: String?
    }

    var code: Int
    var double: Double
    var float: Float
    var small: Int8
    var large: UInt64
    var text: String
    var date: Date
    var data: Data
    var key: UUID
    var decimal: Decimal
    var part: Part
    var texts: [String] = []
    var optionalDouble: Double?
    var optionalText: String?
    var optionalDate: Date?
    var optionalData: Data?
    var optionalDecimal: Decimal?

    init(_ code: Int, _ values: RandomValues) {
        self.code = code
        double = values.double
        float = values.float
        small = values.small
        large = values.large
        text = values.text
        date = values.date
        data = values.data
        key = values.key
        decimal = values.decimal
        part = Part(date: values.date, number: values.finite, text: values.optionalText)
        set(values)
    }

    func set(_ values: RandomValues) {
        (double, float, small, large) = (values.double, values.float, values.small, values.large)
        (text, date, data, key, decimal) = (values.text, values.date, values.data, values.key, values.decimal)
        part = Part(date: values.date, number: values.finite, text: values.optionalText)
        texts = values.texts
        (optionalDouble, optionalText) = (values.isNil ? nil : values.double, values.optionalText)
        (optionalDate, optionalData) = (values.isNil ? nil : values.date, values.isNil ? nil : values.data)
        optionalDecimal = values.isNil ? nil : values.decimal
    }
}

/// Values of every form, among them the smallest and the largest ones.
private struct RandomValues {
    let double, finite: Double
    let float: Float
    let small: Int8
    let large: UInt64
    let text: String
    let optionalText: String?
    let texts: [String]
    let date: Date
    let data: Data
    let key: UUID
    let decimal: Decimal
    let isNil: Bool

    init(_ random: inout SplitMix, storesNUL: Bool) {
        func double() -> Double {
            switch random.below(4) {
            case 0: Double(bitPattern: random.next())
            case 1:
                random.pick([0, -0.0, .infinity, -.infinity, .nan, .leastNonzeroMagnitude, .greatestFiniteMagnitude])
            default: Double(Int64(bitPattern: random.next())) / Double(1 << random.below(60))
            }
        }
        func finite() -> Double {
            var value = double()
            while !value.isFinite { value = double() }
            return value
        }
        func text() -> String {
            let scalars: [Unicode.Scalar] =
                [
                    "a", "Z", "0", "'", "\"", "\\", "%", "\u{301}", "\u{e9}", "\u{FFFF}", "\u{10FFFF}", "\r", "\n",
                    "\u{200D}",
                ]
                + (storesNUL ? ["\0"] : [])
            var view = String.UnicodeScalarView()
            for _ in 0..<random.below(8) { view.append(random.pick(scalars)) }
            return String(view)
        }
        func data() -> Data { Data((0..<random.below(20)).map { _ in UInt8(truncatingIfNeeded: random.next()) }) }
        (self.double, self.finite) = (double(), finite())
        float =
            random.below(3) == 0
            ? random.pick([-0.0, .leastNonzeroMagnitude, .infinity, .nan, .greatestFiniteMagnitude])
            : Float(bitPattern: UInt32(truncatingIfNeeded: random.next()))
        small = Int8(truncatingIfNeeded: random.next())
        // Larger numbers are an error.
        large = random.next() >> (1 + UInt64(random.below(63)))
        self.text = text()
        optionalText = random.below(3) == 0 ? nil : text()
        texts = (0..<random.below(4)).map { _ in text() }
        date = Date(timeIntervalSinceReferenceDate: finite())
        self.data = data()
        key = UUID(
            uuid: withUnsafeBytes(of: (random.next(), random.next())) { $0.loadUnaligned(as: uuid_t.self) })
        decimal =
            Decimal(sign: random.below(2) == 0 ? .plus : .minus, exponent: 0, significand: Decimal(random.next()))
            * Decimal(sign: .plus, exponent: random.below(60) - 40, significand: Decimal(random.next()))
        isNil = random.below(3) == 0
    }
}

/// Values are what they were, in the store and in its history.
@Suite struct RandomValueTests {
    enum Kind: String, CaseIterable, Sendable {
        case inMemory, hook, triggers, postgres

        #if Postgres
            static let available = allCases.filter { $0 != .postgres || PostgresCluster.unavailability == nil }
        #else
            static let available: [Kind] = [.inMemory, .hook, .triggers]
        #endif
    }

    private func container(_ kind: Kind, _ type: any PersistentModel.Type, _ directory: TemporaryDirectory) throws
        -> ModelContainer
    {
        if let kind = PreservedStore(rawValue: kind.rawValue) { return try kind.container([type], directory) }
        #if Postgres
            let cluster = try PostgresCluster.shared.get()
            var configuration = PostgresConfiguration(
                cluster.connectionString(), schemaName: try cluster.makeSchema(), connectionLimit: 4)
            configuration.preservesValues = true
            return try ModelContainer(for: Schema(type), configurations: [configuration])
        #else
            throw SwiftDataError.unsupportedFeature
        #endif
    }

    /// Texts in which two values are equal only if all their bits are, except that 0.0 and -0.0 are one value, and all NaNs
    /// are.
    private static func forms(_ sample: Sample) -> [String: String] {
        Dictionary(
            uniqueKeysWithValues: [
                ("double", sample.double as any Sendable), ("float", sample.float), ("small", sample.small),
                ("large", sample.large), ("text", sample.text), ("date", sample.date), ("data", sample.data),
                ("key", sample.key), ("decimal", sample.decimal), ("part", sample.part), ("texts", sample.texts),
                ("optionalDouble", sample.optionalDouble), ("optionalText", sample.optionalText),
                ("optionalDate", sample.optionalDate), ("optionalData", sample.optionalData),
                ("optionalDecimal", sample.optionalDecimal),
            ].map { ($0, form($1)) })
    }

    private static func form(_ value: Any?) -> String {
        switch value {
        case let value as Double: value.isNaN ? "nan" : "\((value + 0).bitPattern)"
        case let value as Float: value.isNaN ? "nan" : "\((value + 0).bitPattern)"
        case let value as Date: form(value.timeIntervalSinceReferenceDate)
        case let value as String: "\(Array(value.utf8))"
        case let value as [String]: "\(value.map { Array($0.utf8) })"
        case let value as Data: "\(Array(value))"
        case let value as Decimal: "\(value)"
        case let value as Sample.Part: "\(form(value.date)) \(form(value.number)) \(form(value.text))"
        case let value?: "\(value)"
        case nil: "nil"
        }
    }

    @Test(arguments: Kind.available) func valuesAreTheSameEverywhere(_ kind: Kind) throws {
        var random = TestSeed.generator(Kind.allCases.firstIndex(of: kind) ?? 0)
        let directory = try TemporaryDirectory()
        let container = try container(kind, Sample.self, directory)
        let context = ModelContext(container)
        let count = 60
        func new() -> RandomValues { RandomValues(&random, storesNUL: kind != .postgres) }
        let samples = (0..<count).map { Sample($0, new()) }
        for sample in samples { context.insert(sample) }
        let first = samples.map(Self.forms)
        try context.save()
        let inserted = try context.currentHistoryToken()
        for sample in samples { sample.set(new()) }
        let second = samples.map(Self.forms)
        try context.save()
        let updated = try context.currentHistoryToken()

        func read(_ context: ModelContext) throws -> [[String: String]] {
            try context.fetch(FetchDescriptor<Sample>(sortBy: [SortDescriptor(\.code)])).map(Self.forms)
        }
        let comment: Comment = "\(TestSeed.description)"
        let other = ModelContext(container)
        #expect(try read(other) == second, comment)
        // Each value is found by a predicate.
        for sample in try other.fetch(FetchDescriptor<Sample>()) {
            let (code, text, date, data, large) = (sample.code, sample.text, sample.date, sample.data, sample.large)
            let (key, small) = (sample.key, sample.small)
            for predicate: Predicate<Sample> in [
                #Predicate { $0.code == code && $0.text == text }, #Predicate { $0.code == code && $0.date == date },
                #Predicate { $0.code == code && $0.data == data }, #Predicate { $0.code == code && $0.large == large },
                #Predicate { $0.code == code && $0.key == key }, #Predicate { $0.code == code && $0.small == small },
            ] {
                #expect(try other.fetchCount(FetchDescriptor(predicate: predicate)) == 1, "\(predicate) \(comment)")
            }
        }
        try other.delete(model: Sample.self)
        #expect(try read(ModelContext(container, asOf: inserted)) == first, comment)
        #expect(try read(ModelContext(container, asOf: updated)) == second, comment)

        // The values before and after each change.
        let codes = Dictionary(
            samples.enumerated().map { ($1.persistentModelID, $0) }, uniquingKeysWith: { first, _ in first })
        for change in try other.fetchHistory(Descriptor()).flatMap(\.changes) {
            let number = try #require(codes[change.changedPersistentIdentifier])
            for value in change.preservedValues where value.name != "code" {
                let (before, after) = (first[number][value.name], second[number][value.name])
                switch change {
                case .insert: #expect(Self.form(value.value) == before, "insert \(value.name) \(comment)")
                case .update:
                    #expect(Self.form(value.previousValue) == before, "update \(value.name) \(comment)")
                    #expect(Self.form(value.value) == after, "update \(value.name) \(comment)")
                case .delete: #expect(Self.form(value.previousValue) == after, "delete \(value.name) \(comment)")
                }
            }
            if case .update = change {
                let changed = Set(first[number].keys.filter { first[number][$0] != second[number][$0] })
                let recorded = Set(change.preservedValues.map(\.name))
                // PostgreSQL keeps the sign of zero, so another sign is an update.
                let signs = recorded.subtracting(changed).allSatisfy { ["0", "nan"].contains(first[number][$0]) }
                #expect(recorded.isSuperset(of: changed) && signs, "\(recorded) \(changed) \(comment)")
            }
        }
        // A copy by replay, before the delete.
        var export = Data()
        try container.exportHistory(through: updated) { export.append($0) }
        let replica = try self.container(.inMemory, Sample.self, directory)
        try replica.replayHistory {
            defer { export = Data() }
            return export.isEmpty ? nil : export
        }
        #expect(try read(ModelContext(replica)) == second, comment)
    }
}

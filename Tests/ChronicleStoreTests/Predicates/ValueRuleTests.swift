import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@Model private final class Gauge {
    struct Label: Codable, Hashable {
        var text: String
        var note: String?
    }

    enum Day: String, Codable, CaseIterable { case monday, tuesday, wednesday, thursday, friday }

    /// A structure that is considered equal to others that are encoded differently.
    struct Contact: Codable, Hashable {
        var number: Int
        var name: String
        static func == (a: Contact, b: Contact) -> Bool { a.number == b.number }
        func hash(into hasher: inout Hasher) { hasher.combine(number) }
    }

    struct Options: Codable {
        var days: Set<Day> = []
        var names: [String: Set<Int>] = [:]
        var limit: Int?
    }

    #Index<Gauge>([\.name])
    var name: String
    @Attribute(.unique) var level: Double?
    @Attribute(.unique) var code: String?
    var total = 0
    var count = 0
    var value: Double
    var share: Float?
    var label: Label
    var tags: [String] = []
    var marks: Set<String> = []
    var contacts: Set<Contact> = []
    var hours: [Day: Int] = [:]
    var options = Options()

    init(_ name: String, value: Double = 0, level: Double? = nil, code: String? = nil) {
        self.name = name
        self.value = value
        self.level = level
        self.code = code
        share = Float(value)
        label = Label(text: name, note: name.isEmpty ? nil : name + "!")
        tags = [name, "x\(name)"]
    }
}

/// Values that Swift and databases compare differently: saved and unsaved models must be compared in the same way.
@Suite("Predicates: rules for values")
struct ValueRuleTests {
    private static let texts = [
        "", "a", "A", "f", "g", "é", "e\u{301}", "e", "\u{301}", "\r\n", "\r", "\n", "Å", "\u{212B}", "A\u{30A}", "ﬁ",
        "fi",
        "👩‍👩‍👧", "👩", "\u{200D}", "🇩🇪", "🇩", "\u{FFFF}", "\u{10000}", "\u{E000}", "각", "\u{1100}\u{1161}\u{11A8}",
    ]
    private static let textsWithNUL = ["\0", "a\0b", "a\0c", "a\0", "\0a"]

    /// Returns an empty store, and the texts that it can contain.
    private func open(_ fixture: PredicateFixture) throws -> (PredicateFixture.OpenStore, texts: [String]) {
        (try fixture.open(Schema(Gauge.self)), Self.texts + (fixture.storesNUL ? Self.textsWithNUL : []))
    }

    /// Expects that predicates match the names of the expected models, before and after they are saved.
    private func expect(
        _ gauges: [Gauge], in store: PredicateFixture.OpenStore,
        _ cases: [(predicate: Predicate<Gauge>, isMatch: (Gauge) -> Bool)]
    ) throws {
        let context = store.context()
        for gauge in gauges { context.insert(gauge) }
        func check(_ state: String) throws {
            for (predicate, isMatch) in cases {
                let found = try context.fetch(FetchDescriptor(predicate: predicate)).map(\.name.bytes)
                #expect(found == gauges.filter(isMatch).map(\.name.bytes), "\(state): \(predicate)")
            }
        }
        try check("unsaved")
        try context.save()
        try check("saved")
        for gauge in gauges { gauge.value = gauge.value }
        try check("edited")
    }

    @Test("Texts are compared by their bytes", arguments: PredicateFixture.all)
    func texts(_ fixture: PredicateFixture) throws {
        let (store, texts) = try open(fixture)
        var cases: [(Predicate<Gauge>, (Gauge) -> Bool)] = []
        for text in Self.texts + Self.textsWithNUL {
            let bytes = text.bytes
            let list = [text, "é", "g"]
            let storable = fixture.storesNUL || !text.contains("\0")
            cases += [
                (#Predicate { $0.name == text }, { $0.name.bytes == bytes }),
                (#Predicate { $0.name != text }, { $0.name.bytes != bytes }),
                (#Predicate { list.contains($0.name) }, { gauge in list.contains { $0.bytes == gauge.name.bytes } }),
                (#Predicate { $0.name.contains(text) }, { $0.name.bytes.isPart(bytes) }),
                (#Predicate { $0.name.starts(with: text) }, { $0.name.bytes.starts(with: bytes) }),
                (#Predicate { $0.label.text == text }, { $0.name.bytes == bytes }),
                (#Predicate { !($0.label.text == text) }, { $0.name.bytes != bytes }),
                (#Predicate { $0.label.note == text }, { $0.label.note?.bytes == bytes }),
                (#Predicate { $0.label.note != text }, { $0.label.note?.bytes != bytes }),
                (
                    #Predicate { list.contains($0.label.text) },
                    { gauge in list.contains { $0.bytes == gauge.name.bytes } }
                ),
                (#Predicate { $0.label.text.starts(with: text) }, { $0.name.bytes.starts(with: bytes) }),
                (#Predicate { $0.label.text.contains(text) }, { $0.name.bytes.isPart(bytes) }),
                (#Predicate { $0.tags.contains(text) }, { gauge in gauge.tags.contains { $0.bytes == bytes } }),
                (
                    #Predicate { $0.tags.contains { $0.starts(with: text) } },
                    { gauge in gauge.tags.contains { $0.bytes.starts(with: bytes) } }
                ),
            ]
            guard storable else { continue }
            let (from, through) = (text..., ...text)
            cases += [
                (#Predicate { $0.name < text }, { $0.name.bytes.lexicographicallyPrecedes(bytes) }),
                (#Predicate { $0.name >= text }, { !$0.name.bytes.lexicographicallyPrecedes(bytes) }),
                (#Predicate { $0.label.text <= text }, { !bytes.lexicographicallyPrecedes($0.name.bytes) }),
                (#Predicate { $0.label.text > text }, { bytes.lexicographicallyPrecedes($0.name.bytes) }),
                (#Predicate { !($0.label.text < text) }, { !$0.name.bytes.lexicographicallyPrecedes(bytes) }),
                (
                    #Predicate { from.contains($0.name) && through.contains($0.label.text) },
                    { $0.name.bytes == bytes }
                ),
            ]
        }
        try expect(texts.map { Gauge($0) }, in: store, cases)
    }

    @Test("Sorts have the same order before and after a save", arguments: PredicateFixture.all)
    func sorts(_ fixture: PredicateFixture) throws {
        let (store, texts) = try open(fixture)
        var random = SplitMix(state: 3)
        let context = store.context()
        let values: [Double] = [3, .nan, 1, .nan, 2, 0, -0.0, -.infinity, .infinity, 1e300, 0.1]
        for (number, text) in texts.shuffled(using: &random).enumerated() {
            let gauge = Gauge(text, value: values[number % values.count])
            gauge.share = number % 5 == 0 ? nil : gauge.share
            context.insert(gauge)
        }
        func orders(_ limit: Int?) throws -> [[[UInt8]]] {
            try [SortOrder.forward, .reverse].flatMap { order in
                try [
                    [SortDescriptor(\Gauge.name, order: order)],
                    [SortDescriptor(\Gauge.value, order: order), SortDescriptor(\Gauge.name)],
                    [SortDescriptor(\Gauge.share, order: order), SortDescriptor(\Gauge.name)],
                    [SortDescriptor(\Gauge.label.text, order: order)],
                    [SortDescriptor(\Gauge.label.note, order: order), SortDescriptor(\Gauge.name)],
                ].map { sort in
                    var descriptor = FetchDescriptor<Gauge>(sortBy: sort)
                    descriptor.fetchLimit = limit
                    return try context.fetch(descriptor).map(\.name.bytes)
                }
            }
        }
        let unsaved = (try orders(nil), try orders(5))
        try context.save()
        #expect(try orders(nil) == unsaved.0)
        #expect(try orders(5) == unsaved.1)
        #expect(unsaved.0[0] == texts.map(\.bytes).sorted { $0.lexicographicallyPrecedes($1) })
        for gauge in try context.fetch(FetchDescriptor<Gauge>()) where random.below(2) == 0 { gauge.count += 1 }
        #expect(try orders(nil) == unsaved.0)
        #expect(try orders(5) == unsaved.1)
    }

    @Test("Calculations that divide by zero or overflow match nothing", arguments: PredicateFixture.all)
    func undefinedCalculations(_ fixture: PredicateFixture) throws {
        let (store, _) = try open(fixture)
        let pairs: [(Int, Int)] = [
            (10, 2), (10, 0), (0, 0), (.max, 1), (.min, -1), (.min, 1), (7, -1), (.max, .max), (3, 7),
        ]
        let gauges = pairs.enumerated().map { number, pair in
            let gauge = Gauge("\(number)")
            (gauge.total, gauge.count) = pair
            return gauge
        }
        func matches(_ isMatch: @escaping (Int, Int) -> Bool?) -> (Gauge) -> Bool {
            { isMatch($0.total, $0.count) ?? false }
        }
        func sum(_ a: Int, _ b: Int) -> Int? { (a.addingReportingOverflow(b).overflow) ? nil : a + b }
        try expect(
            gauges, in: store,
            [
                (
                    #Predicate { $0.total / $0.count > 3 },
                    matches { $1 == 0 || ($0 == .min && $1 == -1) ? nil : $0 / $1 > 3 }
                ),
                (
                    #Predicate { !($0.total / $0.count > 3) },
                    matches { $1 == 0 || ($0 == .min && $1 == -1) ? nil : $0 / $1 <= 3 }
                ),
                (#Predicate { $0.total % $0.count == 0 }, matches { $1 == 0 ? nil : $1 == -1 || $0 % $1 == 0 }),
                (#Predicate { $0.total % $0.count != 0 }, matches { $1 == 0 ? nil : $1 != -1 && $0 % $1 != 0 }),
                (#Predicate { $0.total + $0.count > 0 }, matches { sum($0, $1).map { $0 > 0 } }),
                (#Predicate { !($0.total + $0.count > 0) }, matches { sum($0, $1).map { $0 <= 0 } }),
                (
                    #Predicate { ($0.total + $0.count) - $0.count == $0.total },
                    matches { a, b in sum(a, b).map { _ in true } }
                ),
                (#Predicate { -$0.total < 0 }, matches { a, _ in a == .min ? nil : a > 0 }),
                (
                    #Predicate { $0.total * $0.count >= 0 },
                    matches { a, b in
                        let (product, overflow) = a.multipliedReportingOverflow(by: b)
                        return overflow ? nil : product >= 0
                    }
                ),
                (
                    #Predicate { $0.count == 0 || $0.total / $0.count > 3 },
                    matches { a, b in
                        b == 0 ? true : a == .min && b == -1 ? nil : a / b > 3
                    }
                ),
                (
                    #Predicate { $0.total / $0.count > 3 || $0.count == 0 },
                    matches { a, b in
                        b == 0 || a == .min && b == -1 ? nil : a / b > 3
                    }
                ),
            ])
    }

    @Test("Casts that fail are nil", arguments: PredicateFixture.all)
    func casts(_ fixture: PredicateFixture) throws {
        let store = try fixture.open(Schema(vehicleModels))
        let context = store.context()
        let (car, vehicle) = (Car("car"), Vehicle("vehicle"))
        let vehicles = [vehicle, car, Car("other", seats: 2), Taxi("taxi"), Truck("truck")]
        let parts = [VehiclePart("none"), VehiclePart("of vehicle", of: vehicle), VehiclePart("of car", of: car)]
        for vehicle in vehicles { context.insert(vehicle) }
        for part in parts { context.insert(part) }
        func expect(_ state: String, _ names: [String], _ predicate: Predicate<Vehicle>) throws {
            let found = try context.fetch(FetchDescriptor(predicate: predicate)).map(\.name)
            #expect(Set(found) == Set(names), "\(state): \(predicate)")
        }
        func expect(_ state: String, parts names: [String], _ predicate: Predicate<VehiclePart>) throws {
            let found = try context.fetch(FetchDescriptor(predicate: predicate)).map(\.name)
            #expect(Set(found) == Set(names), "\(state): \(predicate)")
        }
        for state in ["unsaved", "saved", "edited"] {
            let id = car.persistentModelID
            let others = vehicles.map(\.name).filter { $0 != "car" }
            try expect(state, others, #Predicate { ($0 as? Car)?.persistentModelID != id })
            try expect(state, others, #Predicate { !(($0 as? Car)?.persistentModelID == id) })
            try expect(state, ["car"], #Predicate { ($0 as? Car)?.persistentModelID == id })
            try expect(state, ["vehicle", "other", "truck"], #Predicate { ($0 as? Car)?.seats != 5 })
            try expect(state, vehicles.map(\.name), #Predicate { ($0 as? Car)?.plate == nil })
            try expect(state, ["car", "other", "taxi"], #Predicate { ($0 as! Car).plate == nil })
            try expect(state, ["vehicle", "truck"], #Predicate { ($0 as? Car) == nil })
            try expect(
                state, parts: ["none", "of vehicle"], #Predicate { ($0.vehicle as? Car)?.persistentModelID != id })
            try expect(state, parts: ["of vehicle"], #Predicate { ($0.vehicle! as? Car)?.persistentModelID != id })
            try expect(state, parts: ["of vehicle"], #Predicate { !($0.vehicle! is Car) })
            try expect(state, parts: ["of vehicle", "of car"], #Predicate { ($0.vehicle! as? Car)?.plate == nil })
            if state == "unsaved" {
                try context.save()
            } else {
                for vehicle in vehicles { vehicle.wheels = 4 }
                for part in parts { part.name = part.name }
            }
        }
    }

    @Test("0.0 and -0.0 are one unique value", arguments: PredicateFixture.all)
    func uniqueZero(_ fixture: PredicateFixture) throws {
        let (store, _) = try open(fixture)
        for (first, second) in [(0.0, -0.0), (-0.0, 0.0)] {
            let context = store.context()
            context.insert(Gauge("first", level: first))
            try context.save()
            context.insert(Gauge("second", level: second))
            try context.save()
            #expect(try store.read { try $0.fetch(FetchDescriptor<Gauge>()).map(\.name) } == ["second"])
            context.insert(Gauge("third", level: first))
            context.insert(Gauge("fourth", level: second))
            try context.save()
            #expect(try store.read { try $0.fetch(FetchDescriptor<Gauge>()).map(\.name) } == ["fourth"])
        }
    }

    @Test("Texts with different bytes are different unique values", arguments: PredicateFixture.all)
    func uniqueTexts(_ fixture: PredicateFixture) throws {
        let (store, texts) = try open(fixture)
        let context = store.context()
        for text in texts { context.insert(Gauge("first", code: text)) }
        try context.save()
        for text in texts { context.insert(Gauge("second", code: text)) }
        try context.save()
        let found = try store.read { try $0.fetch(FetchDescriptor<Gauge>(sortBy: [SortDescriptor(\.code)])) }
        #expect(found.map(\.name) == texts.map { _ in "second" })
        #expect(found.map { $0.code?.bytes } == texts.map(\.bytes).sorted { $0.lexicographicallyPrecedes($1) })
    }

    @Test("Setting an equal set or dictionary is not an update", arguments: PredicateFixture.all)
    func equalSets(_ fixture: PredicateFixture) throws {
        let (store, _) = try open(fixture)
        let context = store.context()
        let gauge = Gauge("gauge", code: "code")
        gauge.marks = Set((0..<40).map { "mark \($0)" })
        gauge.contacts = Set((0..<20).map { Gauge.Contact(number: $0, name: "\($0)") })
        gauge.hours = Dictionary(uniqueKeysWithValues: Gauge.Day.allCases.map { ($0, 8) })
        gauge.options = Gauge.Options(
            days: Set(Gauge.Day.allCases), names: ["a": Set(0..<20), "b": [1, 2, 3]], limit: 1)
        context.insert(gauge)
        try context.save()

        func changes(_ edit: (Gauge) -> Void) throws -> Set<String> {
            let other = store.context()
            let token = try other.currentHistoryToken()
            edit(try other.fetch(FetchDescriptor<Gauge>())[0])
            try other.save()
            var names: Set<String> = []
            for transaction in try other.fetchHistory(.after(token)) {
                for case .update(let update as DefaultHistoryUpdate<Gauge>) in transaction.changes {
                    names.formUnion(update.updatedAttributeNames)
                }
            }
            return names
        }
        for _ in 0..<5 {
            let unchanged = try changes { gauge in
                gauge.marks = Set(gauge.marks.shuffled())
                gauge.contacts = Set(gauge.contacts.shuffled())
                gauge.hours = Dictionary(uniqueKeysWithValues: gauge.hours.shuffled().map { ($0.key, $0.value) })
                let options = gauge.options
                gauge.options = Gauge.Options(
                    days: Set(options.days.shuffled()), names: options.names.mapValues { Set($0.shuffled()) },
                    limit: options.limit)
            }
            #expect(unchanged == [])
        }
        #expect(try changes { $0.marks.remove("mark 1") } == ["marks"])
        #expect(try changes { $0.hours = [.monday: 8, .tuesday: 7] } == ["hours"])
        #expect(try changes { $0.hours = [.monday: 7, .tuesday: 8] } == ["hours"])
        #expect(try changes { $0.tags.swapAt(0, 1) } == ["tags"])
        #expect(try changes { $0.options.names = ["b": Set(0..<20), "a": [1, 2, 3]] } == ["options"])
        // The structures are equal, but what is stored of them is not.
        #expect(
            try changes { gauge in
                gauge.contacts = Set((0..<20).map { Gauge.Contact(number: $0, name: "\(19 - $0)") })
            } == ["contacts"])
    }
}

/// Names that Swift considers equal are different names in the history.
@Suite("Names with composed and decomposed characters")
struct NameRuleTests {
    private let names = ["caf\u{e9}", "cafe\u{301}"]

    @Test(arguments: PredicateFixture.all)
    func authors(_ fixture: PredicateFixture) throws {
        let store = try fixture.open(Schema(Gauge.self))
        for (number, name) in (names + names).enumerated() {
            let context = store.context()
            (context.author, context.name) = (name, name)
            context.insert(Gauge("\(number)"))
            try context.save()
        }
        try store.read { context in
            let all = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
            #expect(all.map { $0.author?.bytes } == (names + names).map(\.bytes))
            #expect(all.map { $0.contextName?.bytes } == (names + names).map(\.bytes))
            for name in names {
                let list = [name, "x"]
                let predicates: [Predicate<DefaultHistoryTransaction>] = [
                    #Predicate { $0.author == name }, #Predicate { $0.contextName == name },
                    #Predicate { list.contains($0.author ?? "") },
                ]
                for predicate in predicates {
                    let descriptor = HistoryDescriptor(predicate: predicate)
                    let expected = all.filter { $0.author?.bytes == name.bytes }.map(\.transactionIdentifier)
                    #expect(try context.fetchHistory(descriptor).map(\.transactionIdentifier) == expected)
                    #expect(try descriptor.apply(to: all).map(\.transactionIdentifier) == expected)
                }
            }
        }
    }

    @Test(arguments: PredicateFixture.all)
    func consumersAndTags(_ fixture: PredicateFixture) throws {
        let store = try fixture.open(Schema(Gauge.self))
        let context = store.context()
        var tokens: [DefaultHistoryToken] = []
        for name in names {
            context.insert(Gauge(name))
            try context.save()
            tokens.append(try context.tag(name))
            _ = try store.container.historyConsumer(named: name, startingNewAt: .now)
        }
        #expect(try names.map { try context.token(tagged: $0) } == tokens)
        #expect(try context.tags().map(\.name.bytes) == names.reversed().map(\.bytes))
        let consumers = try store.container.historyConsumers()
        #expect(Set(consumers.map(\.name.bytes)) == Set(names.map(\.bytes)))
        try context.deleteTag(names[0])
        #expect(try context.tags().map(\.name.bytes) == [names[1].bytes])
    }
}

extension String {
    fileprivate var bytes: [UInt8] { Array(utf8) }
}

extension [UInt8] {
    fileprivate func isPart(_ part: [UInt8]) -> Bool {
        part.isEmpty || indices.contains { self[$0...].starts(with: part) }
    }
}

package import Chronicle
package import Foundation

/// A model with unique values of each stored type: alone, together, optional, and as a required relationship.
@Model package class ExchangeSeat {
    #Unique<ExchangeSeat>([\.row, \.isAisle])
    package var identity: Int
    @Attribute(.unique) package var number: Int
    @Attribute(.unique) package var code: String?
    @Attribute(.unique) package var title: String
    @Attribute(.unique) package var weight: Double
    @Attribute(.unique) package var key: Data
    package var row: String
    package var isAisle: Bool
    @Relationship(.unique) package var person: ExchangePerson

    package init(_ identity: Int, _ values: ExchangeValues, _ person: ExchangePerson) {
        self.identity = identity
        number = values.number
        code = values.code
        title = values.title
        weight = values.weight
        key = values.key
        (row, isAisle) = (values.row, values.isAisle)
        self.person = person
    }
}

@Model package final class ExchangeSofa: ExchangeSeat {
    package var width = 2

    package override init(_ identity: Int, _ values: ExchangeValues, _ person: ExchangePerson) {
        super.init(identity, values, person)
    }
}

@Model package final class ExchangePerson {
    package var name: String

    package init(_ name: String) { self.name = name }
}

/// The unique values of a seat.
package struct ExchangeValues: Equatable {
    package var number: Int
    package var code: String?
    package var title: String
    package var weight: Double
    package var key: Data
    package var row: String
    package var isAisle: Bool
    package var person: String

    init(_ number: Int) {
        self.number = number
        code = number % 3 == 0 ? nil : "c\(number)"
        title = "t\(number)"
        weight = Double(number) / 4
        key = Data([UInt8(truncatingIfNeeded: number)])
        (row, isAisle) = ("r\(number / 2)", number % 2 == 0)
        person = "p\(number)"
    }

    init(_ seat: ExchangeSeat) {
        (number, code, title, weight, key) = (seat.number, seat.code, seat.title, seat.weight, seat.key)
        (row, isAisle, person) = (seat.row, seat.isAisle, seat.person.name)
    }

    /// The names of the properties that differ.
    fileprivate func changes(from old: ExchangeValues) -> Set<String> {
        var names: Set<String> = []
        if number != old.number { names.insert("number") }
        if code != old.code { names.insert("code") }
        if title != old.title { names.insert("title") }
        if weight != old.weight { names.insert("weight") }
        if key != old.key { names.insert("key") }
        if row != old.row { names.insert("row") }
        if isAisle != old.isAisle { names.insert("isAisle") }
        if person != old.person { names.insert("person") }
        return names
    }
}

/// Seats that exchange their unique values at random, while others are deleted and inserted.
package struct RandomExchange {
    package static let models: [any PersistentModel.Type] = [ExchangeSeat.self, ExchangeSofa.self, ExchangePerson.self]

    private let container: ModelContainer
    package var random: SplitMix
    private var lastIdentity = 0
    private var rows: [Int: ExchangeValues] = [:]

    /// - Parameter container: An empty container, which preserves the values of all changes.
    package init(_ container: ModelContainer, _ random: SplitMix) throws {
        (self.container, self.random) = (container, random)
        let context = ModelContext(container)
        for number in 1...8 {
            let values = ExchangeValues(number)
            insert(values, ExchangePerson(values.person), into: context)
        }
        try context.save()
    }

    private mutating func insert(_ values: ExchangeValues, _ person: ExchangePerson, into context: ModelContext) {
        lastIdentity += 1
        let isSofa = random.below(3) == 0
        context.insert(
            isSofa ? ExchangeSofa(lastIdentity, values, person) : ExchangeSeat(lastIdentity, values, person))
        rows[lastIdentity] = values
    }

    private mutating func shuffle<Element>(_ elements: inout [Element]) {
        for index in elements.indices.reversed() { elements.swapAt(index, random.below(index + 1)) }
    }

    /// Moves unique numbers between rows with a batch update, which fails if another row has one of the new numbers.
    ///
    /// - Returns: What differs from the expected rows and history.
    package mutating func batchStep() throws -> [String] {
        let context = ModelContext(container)
        let before = rows
        let limit = random.below(2) == 0 ? Int.max / 2 : random.below(12)
        let (isShift, amount) = (random.below(2) == 0, random.pick([-2, -1, 1, 2]))
        // An exchange of the largest and the smallest, and so on.
        let sum = random.below(2) == 0 ? 9 : (rows.values.map(\.number).max() ?? 0) + random.below(2)
        func moved(_ number: Int) -> Int { isShift ? number + amount : sum - number }
        let changed = rows.filter { $0.value.number <= limit }.keys
        var expected = rows
        for identity in changed { expected[identity]?.number = moved(rows[identity]?.number ?? 0) }
        let isPossible = Set(expected.values.map(\.number)).count == expected.count
        let start = try context.currentHistoryToken()
        var problems: [String] = []
        do {
            let count = try context.update(
                model: ExchangeSeat.self, where: #Predicate { $0.number <= limit },
                set: [
                    isShift
                        ? PropertyUpdate(\.number, to: \.number + amount)
                        : PropertyUpdate(\.number, to: #Expression { sum - $0.number })
                ])
            rows = expected
            if !isPossible { problems.append("the update of \(before) succeeded") }
            if count != changed.count { problems.append("\(count) rows were updated instead of \(changed.count)") }
        } catch SwiftDataError.uniquenessViolation {
            if isPossible { problems.append("the update of \(before) failed") }
        }
        let seats = try ModelContext(container).fetch(FetchDescriptor<ExchangeSeat>())
        let found = Dictionary(seats.map { ($0.identity, ExchangeValues($0)) }, uniquingKeysWith: { first, _ in first })
        if found != rows { problems.append("rows \(found) instead of \(rows)") }
        let identities = Dictionary(
            seats.map { ($0.persistentModelID, $0.identity) }, uniquingKeysWith: { first, _ in first })
        // One update of each row, with its values before and after all statements.
        var recorded: [Int: [Int?]] = [:]
        for change in try context.fetchHistory(Descriptor.after(start)).flatMap(\.changes) {
            guard case .update(let update) = change,
                let identity = identities[update.changedPersistentIdentifier], recorded[identity] == nil
            else {
                problems.append("an unexpected change")
                continue
            }
            let value = update.preservedValues.first { $0.name == "number" }
            recorded[identity] = [value?.previousValue as? Int, value?.value as? Int]
        }
        let moves = rows.filter { before[$0.key]?.number != $0.value.number }
            .reduce(into: [Int: [Int?]]()) { $0[$1.key] = [before[$1.key]?.number, $1.value.number] }
        if recorded != moves { problems.append("history \(recorded) instead of \(moves)") }
        return problems
    }

    /// Exchanges values and saves once.
    ///
    /// - Returns: What differs from the expected rows and history.
    package mutating func step() throws -> [String] {
        let context = ModelContext(container)
        context.autosaveEnabled = false
        let before = rows
        var seats = try context.fetch(FetchDescriptor<ExchangeSeat>(sortBy: [SortDescriptor(\.identity)]))
        let people = Dictionary(
            uniqueKeysWithValues: try context.fetch(FetchDescriptor<ExchangePerson>()).map { ($0.name, $0) })
        shuffle(&seats)
        // The values of the first one become available, and may be those of a new seat.
        let isFreed = random.below(3) == 0
        let chosen = Array(seats.prefix(2 + random.below(seats.count - 1)))
        var values = chosen.map(ExchangeValues.init)
        func permute<Value>(_ property: WritableKeyPath<ExchangeValues, Value>, _ random: inout SplitMix) {
            guard random.below(2) == 0 else { return }
            var pool = values.map { $0[keyPath: property] }
            for index in pool.indices.reversed() { pool.swapAt(index, random.below(index + 1)) }
            for index in pool.indices { values[index][keyPath: property] = pool[index] }
        }
        permute(\.number, &random)
        permute(\.code, &random)
        permute(\.title, &random)
        permute(\.weight, &random)
        permute(\.key, &random)
        permute(\.place, &random)
        permute(\.person, &random)
        for (index, seat) in chosen.enumerated() {
            if index == 0, isFreed {
                rows[seat.identity] = nil
                context.delete(seat)
                if random.below(2) == 0, let person = people[values[0].person] {
                    insert(values[0], person, into: context)
                }
                continue
            }
            try set(values[index], people, of: seat)
            rows[seat.identity] = values[index]
        }
        try context.save()
        return try differences(since: before)
    }

    /// Sets the properties that differ.
    private func set(
        _ values: ExchangeValues, _ people: [String: ExchangePerson], of seat: ExchangeSeat
    ) throws {
        if seat.number != values.number { seat.number = values.number }
        if seat.code != values.code { seat.code = values.code }
        if seat.title != values.title { seat.title = values.title }
        if seat.weight != values.weight { seat.weight = values.weight }
        if seat.key != values.key { seat.key = values.key }
        if seat.row != values.row { seat.row = values.row }
        if seat.isAisle != values.isAisle { seat.isAisle = values.isAisle }
        if seat.person.name != values.person, let person = people[values.person] { seat.person = person }
    }

    private func differences(since before: [Int: ExchangeValues]) throws -> [String] {
        let context = ModelContext(container)
        let seats = try context.fetch(FetchDescriptor<ExchangeSeat>())
        let found = Dictionary(uniqueKeysWithValues: seats.map { ($0.identity, ExchangeValues($0)) })
        var differences = found == rows ? [] : ["the rows are \(found) instead of \(rows)"]
        let expected = rows.compactMapValues { _ in Set<String>() }.merging(
            rows.map { ($0.key, before[$0.key].map($0.value.changes) ?? []) }, uniquingKeysWith: { $1 })
        let changed = expected.filter { !$0.value.isEmpty }
        guard before != rows else { return differences }
        let history: [DefaultHistoryTransaction] = try context.fetchHistory(HistoryDescriptor())
        let identities = Dictionary(uniqueKeysWithValues: seats.map { ($0.persistentModelID, $0.identity) })
        var recorded: [Int: Set<String>] = [:]
        for case .update(let update) in history.last?.changes ?? [] {
            guard let identity = identities[update.changedPersistentIdentifier] else { continue }
            if recorded[identity] != nil { differences.append("\(identity) has two updates") }
            recorded[identity] = Set(update.updatedAttributeNames)
            for value in update.preservedValues {
                let (old, new) = (before[identity]?.text(value.name), rows[identity]?.text(value.name))
                guard value.name != "person", let old, let new else { continue }
                let (previous, current) = (text(value.previousValue), text(value.value))
                if previous != old || current != new {
                    differences.append("\(identity).\(value.name) was recorded as \(previous) and \(current)")
                }
            }
        }
        if recorded != changed { differences.append("the history has \(recorded) instead of \(changed)") }
        return differences
    }

    private func text(_ value: (any Sendable)?) -> String { value.map { "\($0)" } ?? "nil" }
}

extension ExchangeValues {
    /// The two values that are unique together.
    fileprivate var place: (row: String, isAisle: Bool) {
        get { (row, isAisle) }
        set { (row, isAisle) = newValue }
    }

    fileprivate func text(_ name: String) -> String? {
        switch name {
        case "number": "\(number)"
        case "code": code ?? "nil"
        case "title": title
        case "weight": "\(weight)"
        case "key": "\(key)"
        case "row": row
        case "isAisle": "\(isAisle)"
        default: nil
        }
    }
}

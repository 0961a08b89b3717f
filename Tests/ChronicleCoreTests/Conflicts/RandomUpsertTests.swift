import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// Random saves of models whose unique values repeat, compared with a list of rows that receives the models one by one.
@Suite("Random upserts")
struct RandomUpsertTests {
    @Test("A save of many models is equal to a save of each", arguments: StoreKind.allCases)
    func accounts(_ kind: StoreKind) throws {
        for number in 0..<6 {
            var run = try AccountRun(kind, TestSeed.generator(number))
            for step in 0..<40 { try run.save("\(TestSeed.description), run \(number), save \(step)") }
        }
    }

    @Test("Nodes of a tree are found by their paths", arguments: StoreKind.allCases)
    func paths(_ kind: StoreKind) throws {
        for number in 0..<6 {
            var run = try PathRun(kind, TestSeed.generator(100 + number))
            for step in 0..<25 { try run.save("\(TestSeed.description), run \(number), save \(step)") }
        }
    }
}

// MARK: Two constraints

/// The row of an account.
private struct AccountRow: Equatable {
    var email: String
    var handle: String?
    var tags: [String]
    var identifier: PersistentIdentifier?
}

private struct AccountRun {
    private let store: TestStore
    private var random: SplitMix
    private var context: ModelContext
    private var rows: [AccountRow] = []
    private var counter = 0

    init(_ kind: StoreKind, _ random: SplitMix) throws {
        store = try TestStore(kind, [Account.self])
        self.random = random
        context = store.context()
    }

    mutating func save(_ description: String) throws {
        // A context knows the rows that it has saved; a new one does not.
        if random.below(3) == 0 { context = store.context() }
        var expected = rows
        try change(&expected)
        var inserted: [(account: Account, row: Int)] = []
        var isConflict = false
        for _ in 0...random.below(random.below(4) == 0 ? 40 : 6) {
            let account = makeAccount()
            context.insert(account)
            if let row = Self.add(account, to: &expected) { inserted.append((account, row)) } else { isConflict = true }
        }
        guard !isConflict else {
            #expect(throws: SwiftDataError.uniquenessViolation, "\(description)") { try context.save() }
            #expect(inserted.allSatisfy { $0.account.persistentModelID.isTemporary }, "\(description)")
            context.rollback()
            return try check(description)
        }
        let count = try store.history().count
        try context.save()
        let before = rows
        rows = expected
        let survivors = Dictionary(inserted.map { ($0.row, $0.account) }, uniquingKeysWith: { $1 })
        for (account, row) in inserted {
            let isSurvivor = survivors[row] === account
            #expect(account.isDeleted == !isSurvivor && (account.modelContext == nil) == !isSurvivor, "\(description)")
            guard isSurvivor else { continue }
            let identifier = account.persistentModelID
            #expect(rows[row].identifier == nil || rows[row].identifier == identifier, "\(description)")
            rows[row].identifier = identifier
        }
        rows.removeAll { $0.email.isEmpty }
        try check(description)
        try checkHistory(since: count, before, description)
    }

    /// Deletes an account, or changes its tags, which an insert may replace.
    private mutating func change(_ expected: inout [AccountRow]) throws {
        guard !rows.isEmpty, random.below(2) == 0 else { return }
        let row = random.below(rows.count)
        let identifier = try #require(rows[row].identifier)
        let account = try #require(try context.existingModel(for: identifier) as? Account)
        if random.below(2) == 0 {
            context.delete(account)
            // Keeps the numbers of the other rows.
            expected[row] = AccountRow(email: "", tags: [])
        } else {
            counter += 1
            account.tags = ["changed \(counter)"]
            expected[row].tags = account.tags
        }
    }

    private mutating func makeAccount() -> Account {
        counter += 1
        return Account(
            "\(random.below(12))@example.org", handle: random.below(3) == 0 ? nil : "\(random.below(40))",
            tags: random.below(3) == 0 ? [] : ["\(counter)"])
    }

    /// Adds an account to the rows.
    ///
    /// - Returns: The number of its row, or `nil` if its values belong to two rows.
    private static func add(_ account: Account, to rows: inout [AccountRow]) -> Int? {
        let email = rows.firstIndex { $0.email == account.email }
        let handle = rows.firstIndex { $0.handle != nil && $0.handle == account.handle }
        if let email, let handle, email != handle { return nil }
        let row = email ?? handle ?? rows.count
        if row == rows.count { rows.append(AccountRow(email: account.email, tags: [])) }
        (rows[row].email, rows[row].handle, rows[row].tags) = (account.email, account.handle, account.tags)
        return row
    }

    private func check(_ description: String) throws {
        let found = try store.context().fetch(FetchDescriptor(sortBy: [SortDescriptor(\Account.email)])).map {
            AccountRow(email: $0.email, handle: $0.handle, tags: $0.tags, identifier: $0.persistentModelID)
        }
        #expect(found == rows.sorted { $0.email < $1.email }, "\(description)")
    }

    /// Checks that the history has the rows that differ, and nothing else.
    private func checkHistory(since count: Int, _ before: [AccountRow], _ description: String) throws {
        let changes = try store.history().dropFirst(count).flatMap(\.changes)
        func identifiers(_ kind: (HistoryChange) -> Bool) -> [String] {
            changes.filter(kind).map { "\($0.changedPersistentIdentifier)" }.sorted()
        }
        func names(_ rows: some Sequence<AccountRow>) -> [String] {
            rows.compactMap { $0.identifier.map { "\($0)" } }.sorted()
        }
        let known = Dictionary(uniqueKeysWithValues: before.map { ($0.identifier, $0) })
        let now = Set(rows.map(\.identifier))
        #expect(
            identifiers { if case .insert = $0 { true } else { false } }
                == names(rows.filter { known[$0.identifier] == nil }), "\(description)")
        #expect(
            identifiers { if case .update = $0 { true } else { false } }
                == names(rows.filter { known[$0.identifier] != nil && known[$0.identifier] != $0 }), "\(description)")
        #expect(
            identifiers { if case .delete = $0 { true } else { false } }
                == names(before.filter { !now.contains($0.identifier) }), "\(description)")
    }
}

// MARK: References to inserted models

private struct PathRun {
    private let store: TestStore
    private var random: SplitMix
    private var paths: Set<String> = []

    init(_ kind: StoreKind, _ random: SplitMix) throws {
        store = try TestStore(kind, [PathNode.self])
        self.random = random
    }

    mutating func save(_ description: String) throws {
        let context = store.context()
        var nodes: [(node: PathNode, path: String)] = []
        if random.below(2) == 0 {
            nodes = try context.fetch(FetchDescriptor<PathNode>()).map { ($0, $0.path) }
        }
        for _ in 0...random.below(20) {
            let parent = nodes.isEmpty || random.below(4) == 0 ? nil : random.pick(nodes)
            let node = PathNode("\(random.below(3))", in: parent?.node)
            context.insert(node)
            nodes.append((node, node.path))
        }
        try context.save()
        paths.formUnion(nodes.map(\.path))
        for (node, path) in nodes where !node.isDeleted { #expect(node.path == path, "\(description)") }
        let live = nodes.filter { !$0.node.isDeleted }
        #expect(Set(live.map(\.path)).count == live.count, "\(description)")
        #expect(Set(live.map(\.path)) == Set(nodes.map(\.path)), "\(description)")
        let found = try store.context().fetch(FetchDescriptor<PathNode>())
        #expect(found.map(\.path).sorted() == paths.sorted(), "\(description)")
        for node in found { #expect(node.children.allSatisfy { $0.parent === node }, "\(description)") }
    }
}

extension PathNode {
    /// The names from the root to this node.
    fileprivate var path: String { (parent.map { "\($0.path)/" } ?? "") + name }
}

import Chronicle
import ChronicleSQLite
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// Random statements on random schemas: the recorded changes explain each difference between the rows before and after.
@Suite struct RandomTrackingTests {
    private typealias Row = TrackedFixture.Row

    @Test(arguments: TestSeed.rounds(8)) func theHistoryExplainsTheRows(_ number: Int) throws {
        try explain(RandomSchema(TestSeed.generator(number)), steps: 25)
    }

    @Test(arguments: TestSeed.rounds(4)) func theHistoryExplainsUpserts(_ number: Int) throws {
        try explain(RandomUpserts(TestSeed.generator(number)), steps: 25)
    }

    /// Tables whose primary key has a collation of the program are not recorded, all others are.
    @Test(arguments: TestSeed.rounds(4)) func theHistoryExplainsOwnCollations(_ number: Int) throws {
        let schema = RandomSchema(TestSeed.generator(number), collation: TrackedFixture.collation.name)
        try explain(schema, steps: 20, collations: [TrackedFixture.collation])
    }

    /// A program that sometimes disables triggers, or writes a value as a blob, which runs none: verification finds what is missing in
    /// the history, and the history explains the rows again when they are reconciled. Purges hide only changes of values that the
    /// history does not contain any more.
    @Test(arguments: TestSeed.rounds(4)) func unrecordedChangesAreReconciled(_ number: Int) throws {
        var schema = RandomSchema(TestSeed.generator(number))
        let fixture = try TrackedFixture(schema.statements.joined(separator: "; "))
        try fixture.app.execute("PRAGMA recursive_triggers = \(schema.below(2))")
        var token = try #require(try fixture.store().currentHistoryToken())
        var state: [PersistentIdentifier: Row] = [:]
        var log = schema.statements
        for _ in 0..<8 {
            let isEnabled = schema.below(2) == 0
            try fixture.app.setTriggersEnabled(isEnabled)
            if !isEnabled { log.append("-- without triggers") }
            for _ in 0..<4 {
                log.append(schema.change())
                try fixture.run(log[log.count - 1])
            }
            try fixture.app.setTriggersEnabled(true)
            log.append("-- with triggers")
            if SQLiteLibrary.versionNumber < 3_045_003,
                try fixture.app.scalarText("PRAGMA integrity_check") != "ok"
            {
                return
            }
            let recorded = try recordedValues(fixture.store())
            let isWritten = try isEnabled && writeBlob(&schema.random, fixture, recorded, &log)
            let comment: Comment = "\(log.joined(separator: ";\n")) \(TestSeed.description)"
            let problems = try fixture.problems()
            let tables = try fixture.database.track(reconciles: true)
            #expect(try fixture.problems() == [], comment)
            if isEnabled { #expect(problems.isEmpty != isWritten, comment) }
            #expect(problems.isEmpty == tables.allSatisfy { $0.reconciledChangeCount == 0 }, comment)
            let store = try fixture.store()
            let transactions = try store.fetchHistory(.after(token))
            for change in transactions.flatMap(\.changes) { state.assign(change) }
            token = transactions.last?.token ?? token
            let rows = try fixture.rows(store)
            for (model, row) in rows where state[model] != nil {
                for (name, value) in row where recorded[model]?.contains(name) != true { state[model]?[name] = value }
            }
            try #require(rows == state, comment)
            let isReconciled = transactions.contains { $0.metadata == ["reconciled": "true"] }
            #expect(isReconciled == !problems.isEmpty, comment)
            guard schema.below(3) == 0, let last = transactions.dropLast().last else { continue }
            log.append("-- purge")
            let writer = try fixture.store(allowsSave: true)
            let end = last.token
            try writer.deleteHistory(HistoryDescriptor(predicate: #Predicate { $0.token <= end }))
            #expect(try fixture.problems() == [], comment)
        }
    }

    /// Returns whether a value was written that the history contains.
    private func writeBlob(
        _ random: inout SplitMix, _ fixture: TrackedFixture, _ recorded: [PersistentIdentifier: Set<String>],
        _ log: inout [String]
    ) throws -> Bool {
        let before = try fixture.rows(fixture.store())
        guard let written = try BlobWriter(url: fixture.url).writeRandomValue(&random, fixture.app) else {
            return false
        }
        log.append("-- \(written) is written as a blob")
        return try fixture.rows(fixture.store()).contains { model, row in
            row.contains { name, value in
                before[model]?[name] != value && recorded[model]?.contains(name) == true
            }
        }
    }

    /// The names of the values that the history contains, by row.
    private func recordedValues(_ store: DefaultStore) throws -> [PersistentIdentifier: Set<String>] {
        let columns = store.schema.entities.map { ($0.name, Set($0.storedProperties.map(\.name))) }
        let names = Dictionary(uniqueKeysWithValues: columns)
        var recorded: [PersistentIdentifier: Set<String>] = [:]
        for change in try store.fetchHistory(HistoryDescriptor()).flatMap(\.changes) {
            let model = change.changedPersistentIdentifier
            switch change {
            case .insert: recorded[model] = names[model.entityName]
            case .update(let update): recorded[model, default: []].formUnion(update.updatedAttributeNames)
            case .delete: recorded[model] = nil
            }
        }
        return recorded
    }

    private func explain(
        _ schema: some RandomProgram, steps: Int, collations: [SQLCollation] = []
    ) throws {
        var schema = schema
        let mode = ["delete", "wal"][schema.below(2)]
        let fixture = try TrackedFixture(
            "PRAGMA journal_mode = \(mode); \(schema.statements.joined(separator: "; "))",
            collations: collations, track: false)
        for _ in 0..<10 { try fixture.run(schema.change()) }
        let before = try fixture.schemaDump()
        for table in try fixture.database.track() {
            guard case .unsupported(let reason) = table.state else { continue }
            try #require(collations.contains { reason.contains($0.name) }, "\(reason)")
        }
        try fixture.app.execute(
            "PRAGMA foreign_keys = \(schema.below(2)); PRAGMA recursive_triggers = \(schema.below(2))")
        let store = try fixture.store()
        var token = try #require(try store.currentHistoryToken())
        var state = try fixture.rows(store)
        var log: [String] = schema.statements
        var states = [(token: token, rows: state)]
        for _ in 0..<steps {
            let isTransaction = schema.below(5) == 0
            if isTransaction { try fixture.app.execute("BEGIN") }
            for _ in 0...(isTransaction ? 3 : 0) {
                log.append(schema.change())
                try fixture.run(log[log.count - 1])
            }
            if fixture.app.isInTransaction { try fixture.app.execute(schema.below(5) == 0 ? "ROLLBACK" : "COMMIT") }
            // An UPSERT may damage an index of a virtual column or an expression, with or without a history: every tested
            // version of SQLite has this defect.
            if try fixture.app.scalarText("PRAGMA integrity_check") != "ok" { return }
            let transactions = try store.fetchHistory(.after(token))
            for change in transactions.flatMap(\.changes) {
                try apply(change, to: &state, "\(log.suffix(5)) \(TestSeed.description)")
            }
            token = transactions.last?.token ?? token
            let present = try fixture.rows(store)
            let differences = Set(present.keys).union(state.keys).filter { present[$0] != state[$0] }
                .map { "\($0): \(String(describing: state[$0])) is \(String(describing: present[$0]))" }
            try #require(differences.isEmpty, "\(log) \(TestSeed.description)")
            states.append((token, present))
            let earlier = states[schema.below(states.count)]
            try expect(earlier.rows, asOf: earlier.token, store, "\(log) \(TestSeed.description)")
            try expectNetChanges(
                of: store, earlier, states[schema.below(states.count)], "\(log) \(TestSeed.description)")
        }
        #expect(try fixture.problems() == [], "\(log) \(TestSeed.description)")
        try fixture.database.untrack()
        #expect(try fixture.schemaDump() == before)
    }

    /// Expects the rows of a past position.
    private func expect(
        _ rows: [PersistentIdentifier: Row], asOf token: DefaultHistoryToken, _ store: DefaultStore,
        _ comment: @autoclosure () -> String
    ) throws {
        let past = try #require(try store.store(asOf: token) as? DefaultStore)
        for entity in store.schema.entities {
            var found: [PersistentIdentifier: Row] = [:]
            try past.fetchRows(ofEntity: entity.name) { row in
                found[row.persistentIdentifier] = Dictionary(
                    uniqueKeysWithValues: entity.storedProperties.map { ($0.name, row.values[$0.slot]) })
            }
            let expected = rows.filter { $0.key.entityName == entity.name }
            try #require(found == expected, "\(comment())")
            #expect(try past.fetchCount(ofEntity: entity.name) == expected.count, "\(comment())")
        }
    }

    /// Expects the differences between the rows of two positions, in either order.
    private func expectNetChanges(
        of store: DefaultStore, _ first: (token: DefaultHistoryToken, rows: [PersistentIdentifier: Row]),
        _ second: (token: DefaultHistoryToken, rows: [PersistentIdentifier: Row]), _ comment: @autoclosure () -> String
    ) throws {
        let context = ModelContext(ModelContainer(forHistoryOf: store))
        let changes = try context.changes(between: first.token, and: second.token)
        let differing = Set(first.rows.keys).union(second.rows.keys).filter { first.rows[$0] != second.rows[$0] }
        try #require(Set(changes.map(\.persistentIdentifier)) == differing, "\(comment())")
        try #require(changes.count == differing.count, "\(comment())")
        for change in changes {
            let (before, after) = (
                first.rows[change.persistentIdentifier] ?? [:], second.rows[change.persistentIdentifier] ?? [:]
            )
            let names = Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }
            try #require(Set(change.values.map(\.name)) == names, "\(comment())")
            for value in change.values {
                try #require(value.previousValue.map(TrackedFixture.stored) == before[value.name], "\(comment())")
                try #require(value.value.map(TrackedFixture.stored) == after[value.name], "\(comment())")
            }
        }
    }

    private func apply(
        _ change: HistoryChange, to state: inout [PersistentIdentifier: Row], _ comment: @autoclosure () -> String
    ) throws {
        let model = change.changedPersistentIdentifier
        let values = change.preservedValues
        switch change {
        case .insert:
            try #require(state[model] == nil, "\(comment())")
            state[model] = Dictionary(uniqueKeysWithValues: values.map { ($0.name, TrackedFixture.stored($0.value)) })
        case .update(let update):
            try #require(values.map(\.name) == update.updatedAttributeNames, "\(comment())")
            for value in values {
                try #require(state[model]?[value.name] == TrackedFixture.stored(value.previousValue), "\(comment())")
                state[model]?[value.name] = TrackedFixture.stored(value.value)
            }
        case .delete:
            let row = Dictionary(
                uniqueKeysWithValues: values.map { ($0.name, TrackedFixture.stored($0.previousValue)) })
            try #require(state.removeValue(forKey: model) == row, "\(comment())")
        }
    }
}

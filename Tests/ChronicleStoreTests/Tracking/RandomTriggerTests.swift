import Chronicle
import ChronicleSQLite
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// Random statements on random schemas of a program with triggers of every kind, before and after those of the recorder.
@Suite struct RandomTriggerTests {
    /// Replaying the history results in the present rows, or verification reports the difference, and reconciling records it.
    ///
    /// The statements do not use FAIL; see ``TrackedProgramTests/aTriggerThatFails(_:)``.
    @Test(arguments: TestSeed.rounds(4), RandomTriggers.Mode.allCases)
    func theHistoryExplainsTheRows(_ number: Int, _ mode: RandomTriggers.Mode) throws {
        // Reconciling can fail for tables with a collation of the program.
        let collation = mode == .recorded && number % 3 == 0 ? TrackedFixture.collation : nil
        var schema = RandomSchema(TestSeed.generator(number), collation: collation?.name)
        let triggers = RandomTriggers(&schema, mode)
        let fixture = try TrackedFixture(
            (schema.statements + triggers.earlier).joined(separator: "; "), collations: collation.map { [$0] } ?? [],
            track: false)
        // A change of a row whose values the history does not contain could not be found.
        if !triggers.mayEscape {
            for _ in 0..<5 { try fixture.run(schema.change()) }
        }
        try fixture.database.track()
        for trigger in triggers.later { try fixture.app.execute(trigger) }
        let pragmas = "PRAGMA foreign_keys = \(schema.below(2)); PRAGMA recursive_triggers = \(schema.below(2))"
        try fixture.app.execute(pragmas)
        let store = try fixture.store()
        var token = try #require(try store.currentHistoryToken())
        var state = try fixture.rows(store)
        var log = schema.statements + triggers.earlier + ["-- track"] + triggers.later + [pragmas]
        for _ in 0..<25 {
            log.append(schema.change().replacing("OR FAIL", with: "OR ABORT"))
            try fixture.run(log[log.count - 1])
            // See ``RandomTrackingTests``.
            if SQLiteLibrary.versionNumber < 3_045_003,
                try fixture.app.scalarText("PRAGMA integrity_check") != "ok"
            {
                return
            }
            var differences = try replay(store, fixture, &token, &state)
            let comment: Comment = "\(log.joined(separator: ";\n")) \(TestSeed.description)\n\(differences)"
            guard triggers.mayEscape else {
                try #require(differences.isEmpty, comment)
                continue
            }
            let problems = try problems(fixture)
            try #require(problems.isEmpty || !differences.isEmpty, "\(comment) \(problems)")
            // Verification does not compare the rows of a table with a trigger after those of the recorder, and reports that instead.
            try #require(try differences.isEmpty || !fixture.problems().isEmpty, comment)
            guard !differences.isEmpty else { continue }
            try fixture.database.track(reconciles: true)
            log.append("-- reconcile")
            differences = try replay(store, fixture, &token, &state)
            try #require(differences.isEmpty, "\(comment)")
            try #require(self.problems(fixture) == [], comment)
        }
        #expect(try problems(fixture) == [], "\(log.joined(separator: ";\n")) \(TestSeed.description)")
    }

    /// Returns the differences between the rows and the state after all transactions.
    private func replay(
        _ store: DefaultStore, _ fixture: TrackedFixture, _ token: inout DefaultHistoryToken,
        _ state: inout TrackedFixture.Rows
    ) throws -> [String] {
        let transactions = try store.fetchHistory(.after(token))
        for change in transactions.flatMap(\.changes) { state.assign(change) }
        token = transactions.last?.token ?? token
        var unrecorded: [String] = []
        let present = try fixture.rows(store) { unrecorded.append($0) }
        return unrecorded
            + Set(present.keys).union(state.keys).filter { present[$0] != state[$0] }
            .map { "\($0): \(String(describing: state[$0])) is \(String(describing: present[$0]))" }
    }

    /// The problems except those of the order, which can be wrong for a row that several triggers change in one statement.
    private func problems(_ fixture: TrackedFixture) throws -> [String] {
        try fixture.problems().filter {
            !$0.contains("exists before") && !$0.contains("not exist before") && !$0.hasPrefix("trigger")
                // No trigger ran for a change before a recorded one.
                && !$0.hasPrefix("unrecordedChange")
        }
    }
}

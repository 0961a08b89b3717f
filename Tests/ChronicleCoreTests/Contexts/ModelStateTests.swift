import Foundation
import Testing

@testable import ChronicleCore

/// The table of `Documentation/Design/0041-model-states.md`, compared with the code.
@Suite struct ModelStateTests {
    private let rows: [String: [String]]

    private static let states: [ModelState] = [
        .detached, .new, .restored, .saved, .missing, .deleted, .discarded, .gone, .replaced,
    ]

    private static let events: [String: ModelState.Event] = [
        "inserted by the program": .inserted,
        "deleted by the program": .deleted,
        "deleted by a delete rule": .deletedByRule,
        "its cause no longer applies": .causeRemoved,
        "row read": .rowRead,
        "row not found": .rowNotFound,
        "deleted by a batch of this context": .batchDeleted,
        "save wrote it": .written,
        "save dropped it": .dropped,
        "save merged it into a row with the same unique values": .merged,
        "another instance took over the row": .replaced,
        "save was committed, but its result is invalid": .writtenUnidentified,
        "rollback": .rolledBack,
    ]

    private struct UnknownState: Error {
        let name: String
    }

    init() throws {
        let page = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Documentation/Design/0041-model-states.md")
        let lines = try String(contentsOf: page, encoding: .utf8).split(separator: "\n")
        let table = try #require(lines.firstIndex { $0.hasPrefix("| event |") })
        func cells(_ line: Substring) -> [String] {
            line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast()
                .map { $0.trimmingCharacters(in: .whitespaces) }
        }
        try #require(cells(lines[table]) == ["event"] + Self.states.map { "\($0)" })
        var rows: [String: [String]] = [:]
        for line in lines[(table + 2)...].prefix(while: { $0.hasPrefix("|") }) {
            rows[cells(line)[0]] = Array(cells(line).dropFirst())
        }
        self.rows = rows
    }

    /// Returns the state that a cell names.
    private func state(_ cell: String, _ state: ModelState, hasEdits: Bool) throws -> ModelState? {
        if cell == "missing with edits, otherwise gone" { return hasEdits ? .missing : .gone }
        let word = cell.prefix { $0.isLetter }
        if word == "same" { return state }
        if word == "error" || cell == "–" { return nil }
        guard let named = ModelState.allCases.first(where: { "\($0)" == word }) else { throw UnknownState(name: cell) }
        return named
    }

    @Test func everyTransitionIsInTheTable() throws {
        #expect(Self.states.count == ModelState.allCases.count)
        #expect(Set(Self.events.values).count == ModelState.Event.allCases.count)
        for (name, event) in Self.events {
            let row = try #require(rows[name], "the row “\(name)”")
            try #require(row.count == Self.states.count)
            for (cell, before) in zip(row, Self.states) {
                for hasEdits in [false, true] {
                    let expected = try state(cell, before, hasEdits: hasEdits)
                    #expect(
                        before.after(event, hasEdits: hasEdits) == expected,
                        "\(before) after “\(name)” with edits: \(hasEdits)")
                }
            }
        }
    }

    @Test func statesThatRecordEditsAreInTheTable() throws {
        let row = try #require(rows["property set"])
        for (cell, state) in zip(row, Self.states) {
            // A new model has no row to edit, but its properties are recorded in the same way.
            #expect(state.recordsEdits == (cell.contains("an edit") || state == .new), "\(state)")
        }
    }

    @Test func aFailedSaveChangesNoState() throws {
        let row = try #require(rows["save failed"])
        #expect(row.dropFirst().allSatisfy { $0 == "same" })
    }
}

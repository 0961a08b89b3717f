import Chronicle
import ChronicleSQLite
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// After random changes by contexts and other programs, the preserved values describe each change and the content.
@Suite struct PreservedContentTests {
    typealias Piece = PreservedModels.Piece
    typealias Holder = PreservedModels.Holder
    typealias Label = PreservedModels.Label

    /// A store, and its content according to the values of its history.
    private final class Run {
        let store: TestStore
        let contexts: [ModelContext]
        var random: SplitMix
        var content = PreservedContent()
        var token: DefaultHistoryToken?
        /// The models that a context fetched earlier.
        var known: [[Piece]] = [[], [], []]
        var saves = (succeeded: 0, failed: 0)

        init(_ kind: StoreKind, _ round: Int) throws {
            store = try TestStore(kind, PreservedModels.types, preservesValues: true)
            contexts = (0..<3).map { [store] number in store.context(author: "\(number)") }
            random = TestSeed.generator(round)
        }

        // MARK: Checks

        /// Applies the changes since the last check by their values, and compares the content.
        func check(_ step: String) throws {
            let before = content
            let actual = try PreservedContent(of: store.container)
            let transactions = try store.history(token.map { Descriptor(predicate: Self.after($0)) } ?? Descriptor())
            do {
                for transaction in transactions {
                    for change in transaction.changes {
                        try content.apply(change)
                    }
                    token = transaction.token
                }
            } catch let error as PreservedContent.Contradiction {
                let lines = transactions.map(\.line).joined(separator: "\n")
                throw PreservedContent.Contradiction(
                    description: "\(TestSeed.description), \(step): \(error.description)\n\(lines)")
            }
            let isEqual = content == actual
            try #require(
                isEqual,
                """
                \(TestSeed.description), \(step): \(content.difference(from: actual))
                \(transactions.map(\.line).joined(separator: "\n"))
                before: \(before.difference(from: actual))
                """)
        }

        private static func after(_ token: DefaultHistoryToken) -> Predicate<DefaultHistoryTransaction> {
            #Predicate { $0.token > token }
        }

        // MARK: Saves

        func save(_ step: String) throws {
            let number = random.below(contexts.count)
            let context = contexts[number]
            // Sometimes the context has not fetched the changes of the others.
            if known[number].isEmpty || random.below(3) > 0 {
                known[number] = try context.fetch(FetchDescriptor(sortBy: [SortDescriptor(\Piece.name)]))
            }
            var pieces = known[number]
            let holders = try context.fetch(FetchDescriptor(sortBy: [SortDescriptor(\Holder.name)]))
            let labels = try context.fetch(FetchDescriptor(sortBy: [SortDescriptor(\Label.name)]))
            let changesLinks = random.below(3) == 0
            if random.below(4) == 0 { context.insert(Holder("holder \(random.below(1000))")) }
            if random.below(3) == 0 { context.insert(Label("label \(random.below(1000))")) }
            for _ in 0..<(random.below(20) == 0 ? 40 : random.below(4)) {
                let piece = Piece("piece \(random.below(100_000))")
                context.insert(piece)
                pieces.append(piece)
                change(piece, pieces, holders)
                if changesLinks { changeLinks(of: piece, pieces, labels) }
            }
            for _ in 0..<random.below(5) where !pieces.isEmpty {
                let piece = random.pick(pieces)
                if piece.isDeleted || piece.modelContext == nil { continue }
                if random.below(5) == 0 {
                    context.delete(piece)
                    pieces.removeAll { $0 === piece }
                } else {
                    for _ in 0...random.below(3) { change(piece, pieces, holders) }
                    if changesLinks { changeLinks(of: piece, pieces, labels) }
                }
            }
            if random.below(8) == 0, let holder = holders.first { context.delete(holder) }
            if random.below(10) == 0, changesLinks, let label = labels.last { context.delete(label) }
            do {
                try context.save()
                saves.succeeded += 1
            } catch let error as SwiftDataError {
                try #require(
                    [.uniquenessViolation, .modelNotFound, .modelValidationFailure].contains(error), "\(error)")
                saves.failed += 1
                context.rollback()
                known[number] = []
            }
            known[number].removeAll { $0.isDeleted || $0.modelContext == nil }
            try check(step)
        }

        private func change(_ piece: Piece, _ pieces: [Piece], _ holders: [Holder]) {
            let other = random.below(4) == 0 ? nil : random.pick(pieces + [piece])
            switch random.below(11) {
            case 0: piece.code = random.below(2) == 0 ? nil : "c\(random.below(60))"
            case 1: piece.name += random.pick(["", "!", "\u{0}"])
            case 2: piece.note = random.pick([nil, "", "a", "e\u{301}", "nul\u{0}nul", piece.note])
            case 3: piece.number = random.pick([0, 1, -1, .max, .min, piece.number])
            case 4: piece.score = random.pick([0, -0.0, 1, 0.1, .infinity, -.infinity, .nan, piece.score])
            case 5:
                piece.content = random.pick([nil, Data(), Data([0]), Data(repeating: 1, count: 300), piece.content])
            case 6, 7: piece.holder = random.below(3) == 0 ? nil : holders.randomElement(using: &random)
            case 8: piece.partner = other
            case 9: piece.next = other
            default: piece.previous = other
            }
        }

        private func changeLinks(of piece: Piece, _ pieces: [Piece], _ labels: [Label]) {
            switch random.below(6) {
            case 0: piece.labels = labels.filter { _ in random.below(3) == 0 }
            case 1: if let label = labels.randomElement(using: &random) { label.pieces = [piece] }
            case 2: piece.friends = pieces.filter { _ in random.below(4) == 0 }
            case 3: piece.friends.append(random.pick(pieces))
            case 4: piece.marks = random.below(3) == 0 ? nil : labels.filter { _ in random.below(2) == 0 }
            default: piece.labels.removeAll()
            }
        }

        func deleteBatch(_ step: String) throws {
            let remainder = random.below(100)
            let context = random.pick(contexts)
            if context.hasChanges { return }
            try context.delete(
                model: Piece.self, where: #Predicate { $0.number == 1 && $0.name.count % 100 > remainder })
            known = [[], [], []]
            try check(step)
        }

        // MARK: Other programs

        func changeAsAnotherProgram(_ step: String) throws {
            let statements = (0...random.below(2)).map { _ in self.sql() }.joined(separator: ";\n")
            let sql =
                switch random.below(4) {
                case 0: "BEGIN; \(statements); COMMIT"
                case 1: "BEGIN; \(statements); ROLLBACK; \(self.sql())"
                default: statements
                }
            do { try store.foreign("PRAGMA foreign_keys = ON; \(sql)") } catch {
                // An action of a foreign key may change the row that a statement is updating, which SQLite rejects.
                try #require("\(error)".contains("constraint failed"), "\(step): \(error)")
                // The shell has ended with its transaction.
                if store.kind == .inMemory {
                    try store.database.write { if $0.isInTransaction { try $0.execute("ROLLBACK") } }
                }
            }
            known = [[], [], []]
            try check("\(step), \(sql)")
        }

        /// Deletes rows or changes their keys without foreign keys, and then the references to these rows.
        func changeWithoutForeignKeys(_ step: String) throws {
            let change = random.pick([
                "DELETE FROM Piece WHERE id % 5 = \(random.below(5))", "DELETE FROM Label WHERE id % 4 = 0",
                "UPDATE Piece SET id = id + \(100_000 + random.below(1_000_000)), note = 'moved' WHERE id % 6 = 0",
            ])
            let references = [
                ("holder", "Holder"), ("partner", "Piece"), ("next", "Piece"), ("previous", "Piece"),
            ].map { "UPDATE Piece SET \"\($0)\" = NULL WHERE \"\($0)\" NOT IN (SELECT id FROM \($1))" }
            let links = Self.linkTables.map { table, owner, destination in
                """
                DELETE FROM "\(table)" WHERE owner NOT IN (SELECT id FROM \(owner)) \
                OR destination NOT IN (SELECT id FROM \(destination))
                """
            }
            let sql = (["PRAGMA foreign_keys = OFF", change] + references + links + ["PRAGMA foreign_keys = ON"])
                .joined(separator: "; ")
            try store.foreign(sql)
            known = [[], [], []]
            try check("\(step), \(change)")
        }

        private static let linkTables = [
            ("Label.pieces", "Label", "Piece"), ("Piece.friends", "Piece", "Piece"), ("Piece.marks", "Piece", "Label"),
        ]

        private func sql() -> String {
            let (table, owner, destination) = random.pick(Self.linkTables)
            func row(_ entity: String) -> String {
                "(SELECT id FROM \(entity) ORDER BY id % \(2 + random.below(30)), id LIMIT 1)"
            }
            let (divisor, remainder) = (2 + random.below(6), random.below(2))
            let condition = "id % \(divisor) = \(remainder)"
            return random.pick([
                "INSERT OR IGNORE INTO Piece(name, code, score, content) VALUES ('f', 'c\(random.below(60))', 1, x'00ff'), ('g', NULL, -0.0, NULL)",
                "INSERT INTO Holder(name) VALUES ('foreign'); INSERT INTO Label(name) VALUES ('foreign')",
                "UPDATE Piece SET note = 'n\(random.below(3))', number = number & 7 WHERE \(condition)",
                "UPDATE Piece SET name = name, number = number",
                "UPDATE Piece SET holder = \(row("Holder")), partner = \(row("Piece")) WHERE \(condition)",
                "DELETE FROM Piece WHERE id % 7 = \(random.below(7))",
                "DELETE FROM Holder WHERE id = \(row("Holder"))",
                "DELETE FROM Label WHERE id = \(row("Label"))",
                "INSERT OR REPLACE INTO Piece(id, name, code) SELECT id, name || '!', code FROM Piece WHERE id = \(row("Piece"))",
                "INSERT OR REPLACE INTO Piece(name, code, note) VALUES ('replaced', 'c\(random.below(60))', 'a'), ('r', 'c1', 'b')",
                // Replaces two rows, which do not reference each other; see `RecorderSQL+Conflict`.
                """
                UPDATE Piece SET partner = NULL, next = NULL, previous = NULL \
                WHERE code = 'c2' OR id % \(divisor) = \(remainder); \
                REPLACE INTO Piece(id, name, code) \
                SELECT id, name, 'c2' FROM Piece WHERE id % \(divisor) = \(remainder) LIMIT 1
                """,
                // SQLite does not support an action of a foreign key that changes the row of the statement.
                """
                UPDATE Piece SET partner = NULL, next = NULL, previous = NULL WHERE \(condition); \
                UPDATE OR REPLACE Piece SET code = 'c\(random.below(60))', note = 'u' WHERE \(condition)
                """,
                "UPDATE OR IGNORE Piece SET code = 'c3' WHERE \(condition)",
                """
                INSERT INTO Piece(name) VALUES ('key \(divisor)'); \
                UPDATE OR REPLACE Piece SET note = 'b', id = \(row("Piece")) WHERE id = (SELECT max(id) FROM Piece)
                """,
                "INSERT INTO Piece(name, code) VALUES ('upsert', 'c4') ON CONFLICT(code) DO UPDATE SET note = name || note",
                "INSERT OR IGNORE INTO \"\(table)\"(owner, destination) SELECT a.id, b.id FROM \(owner) a, \(destination) b WHERE a.id % 5 = b.id % 3 AND a.id % 2 = \(remainder) LIMIT 6",
                "DELETE FROM \"\(table)\" WHERE (owner + destination) % 3 = 0",
                """
                UPDATE "\(table)" SET destination = \(row(destination)) WHERE owner = \(row(owner)) \
                AND destination = (SELECT min(destination) FROM "\(table)" WHERE owner = \(row(owner))) \
                AND NOT EXISTS (SELECT 1 FROM "\(table)" AS held WHERE held.owner = "\(table)".owner \
                AND held.destination = \(row(destination)))
                """,
            ])
        }
    }

    @Test(arguments: StoreKind.allCases, TestSeed.rounds(1))
    func valuesDescribeEveryChange(_ kind: StoreKind, _ round: Int) throws {
        let run = try Run(kind, round)
        for number in 0..<50 {
            let step = "\(kind) \(round), step \(number)"
            switch run.random.below(12) {
            case 0...7: try run.save(step)
            case 8: try run.deleteBatch(step)
            case 9, 10: try run.changeAsAnotherProgram(step)
            default: try run.changeWithoutForeignKeys(step)
            }
        }
        #expect(run.saves.succeeded > 15, "\(run.saves)")
        // All changes from the beginning reconstruct the rows.
        var content = PreservedContent()
        for transaction in try run.store.history() {
            for change in transaction.changes { try content.applyIgnoringLinks(change) }
        }
        #expect(content.rows == run.content.rows)
    }
}

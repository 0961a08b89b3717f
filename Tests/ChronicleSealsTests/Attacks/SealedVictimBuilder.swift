#if Seals
    import Chronicle
    import ChronicleCore
    import ChronicleSeals
    import ChronicleSQLite
    import ChronicleStore
    import ChronicleTestSupport
    import Foundation

    /// Makes a sealed history with inserts, updates of two values, deletes, metadata, several authors, changes of other programs,
    /// an erasure, a deletion and a purge.
    final class SealedVictimBuilder {
        let container: ModelContainer
        let store: DefaultStore
        private(set) var facts = SealedVictim.Facts()
        private let kind: SealedVictim.Kind
        /// The program of a tracked database.
        private let program: Connection?
        private let context: ModelContext
        private var trips: [String: Trip] = [:]

        init(_ kind: SealedVictim.Kind) throws {
            self.kind = kind
            let url = try TemporaryDirectory().file("built.store")
            if kind == .tracked {
                let program = try Connection(path: url.path, mode: .readWriteCreate)
                try program.execute(
                    """
                    PRAGMA trusted_schema = ON;
                    CREATE TABLE Trip(id INTEGER PRIMARY KEY, name TEXT, destination TEXT, note TEXT);
                    CREATE TABLE Place(code TEXT PRIMARY KEY, name TEXT);
                    """)
                try TrackedDatabase(url: url).track(preservesValues: true)
                self.program = program
            } else {
                program = nil
            }
            container = try SealedVictim.open(kind, url)
            store = try SealedVictim.store(of: container)
            context = ModelContext(container)
        }

        func build(_ sealed: (SealedVictim.Stage) throws -> Void = { _ in }) throws {
            for stage in SealedVictim.Stage.allCases {
                try perform(stage)
                if stage == .erasure, kind == .tracked { continue }
                facts.heads[stage] = try store.sealHistory(SealHashing())
                facts.numbers[stage] = try number("SELECT max(number) FROM chronicle_seal")
                try sealed(stage)
            }
            // After the newest seal.
            try update("D", note: "d6", author: "ann", as: "unsealed")
        }

        private func perform(_ stage: SealedVictim.Stage) throws {
            switch stage {
            case .begun: break
            case .first:
                try insert("a", note: "a1", author: "ann", metadata: ["reason": "import"], as: "insert a")
                try insert("b", note: "b1", author: "bob", as: "insert b")
            case .updates:
                try update("a", name: "A", note: "a2", author: "ann", as: "update a")
                try update("b", name: "B", note: "b2", author: "bob", as: "update b")
                try update("B", note: "b3", author: "temp", as: "temp")
                try update("A", note: "a3", author: "ann", metadata: ["reason": "correction"], as: "correction")
            case .foreign:
                try foreign("UPDATE Trip SET note = 'b4' WHERE name = 'B'", as: "foreign")
                try insert("c", note: "c1", author: "ann", as: "insert c")
                try delete("c", author: "bob", as: "delete c")
                if kind == .tracked {
                    try foreign("INSERT INTO Place VALUES ('osl', 'Oslo'), ('bgo', 'Bergen')", as: "places")
                }
            case .erasure:
                guard kind != .tracked else { return }
                try keepValue()
                try HistoryAuthor.withValue("officer") {
                    try store.erasePreservedValues([\Trip.destination], of: Trip.self)
                }
            case .deletion:
                try deleteTransaction("temp")
                try insert("d", note: "d1", author: "ann", as: "insert d")
                try update("d", name: "D", note: "d2", author: "bob", as: "update d")
            case .purge:
                guard let end = facts.heads[.first]?.position,
                    let token = try store.fetchHistory(Descriptor()).first(where: { $0.id == end })?.token
                else { throw Shell.Failure(description: "the transactions to purge are missing") }
                while try !store.purgeHistory(HistoryPurgePlan(newest: token)).isLast {}
                try update("D", note: "d3", author: "ann", as: "after the purge")
            case .last:
                try update("D", note: "d4", author: "bob", as: "last")
                try update("D", note: "d5", author: "ann", as: "newest")
            }
        }

        // MARK: Transactions

        private func insert(
            _ name: String, note: String, author: String, metadata: [String: String] = [:], as label: String
        ) throws {
            if kind == .tracked {
                return try foreign(
                    "INSERT INTO Trip(name, destination, note) VALUES ('\(name)', 'to \(name)', '\(note)')", as: label)
            }
            let trip = Trip(name: name, destination: "to \(name)")
            trip.note = note
            context.insert(trip)
            trips[name] = trip
            try save(author, metadata, label)
        }

        private func update(
            _ name: String, name newName: String? = nil, note: String, author: String,
            metadata: [String: String] = [:], as label: String
        ) throws {
            if kind == .tracked {
                return try foreign(
                    "UPDATE Trip SET name = '\(newName ?? name)', note = '\(note)' WHERE name = '\(name)'", as: label)
            }
            let trip = trips.removeValue(forKey: name)
            trip?.note = note
            if let newName { trip?.name = newName }
            trips[newName ?? name] = trip
            try save(author, metadata, label)
        }

        private func delete(_ name: String, author: String, as label: String) throws {
            if kind == .tracked { return try foreign("DELETE FROM Trip WHERE name = '\(name)'", as: label) }
            if let trip = trips.removeValue(forKey: name) { context.delete(trip) }
            try save(author, [:], label)
        }

        private func save(_ author: String, _ metadata: [String: String], _ label: String) throws {
            context.author = author
            context.transactionMetadata = metadata
            try context.save()
            try note(label)
        }

        /// Changes of another program.
        private func foreign(_ sql: String, as label: String) throws {
            if let program {
                try program.execute(sql)
            } else {
                try SealedVictim.database(of: store).write { connection in
                    try connection.setTriggersEnabled(true)
                    try connection.execute(sql)
                    try connection.setTriggersEnabled(false)
                }
            }
            // Makes them a transaction.
            _ = try store.planHistoryPurge(HistoryRetention(maximumChanges: .max), at: .now)
            try note(label)
        }

        private func deleteTransaction(_ label: String) throws {
            let rows = facts.transactions[label]
            let transactions = try store.fetchHistory(Descriptor())
            guard let index = transactions.firstIndex(where: { $0.id == rows?.upperBound }), index > 0 else {
                throw Shell.Failure(description: "the transaction to delete is missing")
            }
            let (before, token) = (transactions[index - 1].token, transactions[index].token)
            try HistoryAuthor.withValue("officer") {
                try store.deleteHistory(Descriptor(predicate: #Predicate { $0.token > before && $0.token <= token }))
            }
        }

        // MARK: Facts

        private func number(_ sql: String) throws -> Int64 {
            guard let number = try SealedVictim.database(of: store).write({ try $0.scalarInt64(sql) }) else {
                throw Shell.Failure(description: "nothing is selected by \(sql)")
            }
            return number
        }

        private func note(_ label: String) throws {
            let header = try number("SELECT max(id) FROM chronicle_change WHERE kind < 0")
            let newest = try number("SELECT max(id) FROM chronicle_change")
            let first = try number("SELECT old_value FROM chronicle_change WHERE id = \(header)")
            guard header == newest, facts.transactions.values.allSatisfy({ $0.upperBound < first }) else {
                throw Shell.Failure(description: "\(label) is no transaction")
            }
            facts.transactions[label] = first...header
        }

        /// The destination of the trip c.
        private func keepValue() throws {
            guard let rows = facts.transactions["insert c"] else { return }
            let row = try number(
                """
                SELECT c.id FROM chronicle_change AS c JOIN chronicle_attribute AS a \
                ON a.entity = c.kind >> 4 AND a.number = c.attributes \
                WHERE a.name = 'destination' AND c.id BETWEEN \(rows.lowerBound) AND \(rows.upperBound)
                """)
            func literal(_ column: String, _ table: String, _ key: String) throws -> String {
                try SealedVictim.database(of: store).write {
                    try $0.scalarText("SELECT quote(\(column)) FROM \(table) WHERE \(key) = \(row)")
                } ?? "NULL"
            }
            facts.erased = SealedVictim.Erased(
                row: row, attribute: try number("SELECT attributes FROM chronicle_change WHERE id = \(row)"),
                before: try literal("old_value", "chronicle_change", "id"),
                after: try literal("new_value", "chronicle_change", "id"),
                key: try literal("key", "chronicle_commitment", "position"))
        }
    }
#endif

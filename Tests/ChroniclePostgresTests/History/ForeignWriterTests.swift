#if Postgres
    import Chronicle
    import ChroniclePostgres
    import ChronicleTestSupport
    import Foundation
    import Testing

    @Suite("PostgreSQL history of other programs", .requiresPostgres) struct ForeignWriterTests {
        @Test(arguments: [
            (
                #"INSERT INTO "Account"(name, balance) VALUES ('c', 1), ('d', 2)"#,
                ["insert Account/3", "insert Account/4"]
            ),
            (#"UPDATE "Account" SET balance = balance + 1"#, ["update Account/1 balance", "update Account/2 balance"]),
            (#"UPDATE "Account" SET balance = 0, note = 'x' WHERE name = 'a'"#, ["update Account/1 note"]),
            (#"UPDATE "Account" SET rate = '-0' WHERE name = 'a'"#, ["update Account/1 rate"]),
            (#"UPDATE "Account" SET name = name, balance = balance"#, []),
            (#"UPDATE "Account" SET balance = 5 WHERE name = 'nobody'"#, []),
            (#"UPDATE "Account" SET _rowid_ = 9 WHERE name = 'b'"#, ["delete Account/2", "insert Account/9"]),
            (#"DELETE FROM "Account" WHERE name = 'b'"#, ["delete Account/2"]),
            (#"DELETE FROM "Account" WHERE name = 'a'"#, ["delete Entry/1", "delete Account/1"]),
            (#"TRUNCATE "Entry""#, ["delete Entry/1"]),
            (
                #"INSERT INTO "Account"(name, balance) VALUES ('a', 7), ('e', 8) "#
                    + #"ON CONFLICT (name) DO UPDATE SET balance = excluded.balance"#,
                ["insert Account/4", "update Account/1 balance"]
            ),
            (
                #"BEGIN; INSERT INTO "Account"(name, balance) VALUES ('z', 0); SAVEPOINT s; DELETE FROM "Account"; "#
                    + #"ROLLBACK TO s; UPDATE "Entry" SET amount = 4; COMMIT"#,
                ["insert Account/3", "update Entry/1 amount"]
            ),
            (#"BEGIN; DELETE FROM "Entry"; ROLLBACK"#, []),
        ])
        func statement(_ sql: String, _ expected: [String]) throws {
            let fixture = try HistoryFixture()
            try fixture.psql(
                """
                INSERT INTO "Account"(name, balance, rate) VALUES ('a', 0, 0), ('b', 0, NULL);
                INSERT INTO "Entry"(amount, account) VALUES (1, 1)
                """)
            let token = try fixture.token
            try fixture.psql(sql)
            let found = try fixture.transactions(after: token)
            #expect(found.count == (expected.isEmpty ? 0 : 1))
            #expect(found.allSatisfy { $0.isExternal && $0.author == nil })
            #expect(Set(found.flatMap(\.changes).map(\.line)) == Set(expected))
            #expect(found.flatMap(\.changes).count == expected.count)
            // A read that finds nothing new leaves the positions as they are.
            let newest = try fixture.token
            #expect(newest == found.last?.token ?? token)
        }

        /// The server gives a trigger all updates that the actions of foreign keys make for a statement at once.
        @Test func aRowThatForeignKeysUpdateSeveralTimes() throws {
            let configuration = try PostgresConfiguration.testing { $0.preservesValues = true }
            let context = ModelContext(
                try ModelContainer(for: Schema(pairModels), configurations: [configuration]))
            let (ann, bob, cleo) = (Resident("ann"), Resident("bob"), Resident("cleo"))
            (ann.successor, ann.predecessor) = (bob, cleo)
            for resident in [ann, bob, cleo] { context.insert(resident) }
            try context.save()
            let token = try context.currentHistoryToken()
            try PostgresCluster.shared.get().psql(
                #"SET search_path = \#(configuration.schemaName ?? ""); DELETE FROM "Resident" WHERE _rowid_ <> 1"#)
            let found: [DefaultHistoryTransaction] = try context.fetchHistory(.after(token))
            let values = found.flatMap(\.changes)
                .filter { $0.changedPersistentIdentifier == ann.persistentModelID }.flatMap(\.preservedValues)
            #expect(values.map(\.name).sorted() == ["predecessor", "successor"])
            #expect(values.allSatisfy { $0.value == nil })
            let previous = values.map { $0.previousValue as? PersistentIdentifier }
            #expect(Set(previous) == [bob.persistentModelID, cleo.persistentModelID])
        }

        @Test func copyIsOneTransaction() throws {
            let fixture = try HistoryFixture()
            try fixture.psql(#"COPY "Account"(name, balance) FROM PROGRAM 'seq -f "%g,1" 500' WITH (FORMAT csv)"#)
            let found = try fixture.transactions()
            #expect(found.map { $0.changes.count } == [500])
            #expect(found.first?.changes.first?.line == "insert Account/1")
        }

        @Test func replicatedChangesAreRecorded() throws {
            let fixture = try HistoryFixture()
            try fixture.psql(
                #"SET session_replication_role = replica; INSERT INTO "Account"(name, balance) VALUES ('a', 1)"#)
            #expect(try fixture.transactions().flatMap(\.changes).map(\.line) == ["insert Account/1"])
        }

        @Test func preservedValuesAreExact() throws {
            let fixture = try HistoryFixture()
            let values: [Double] = [0.1, -0.0, .infinity, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 1.0 / 3]
            let photo = Data((0...255).map { UInt8($0) })
            for (index, value) in values.enumerated() {
                let context = fixture.context()
                let account = Account("é\n\"{}\\ \(index)", balance: .min)
                (account.rate, account.photo) = (value, photo)
                context.insert(account)
                try context.save()
            }
            let token = try fixture.token
            // The settings of the session have no effect on what is recorded.
            try fixture.psql(
                #"SET extra_float_digits = -15; SET bytea_output = 'escape'; UPDATE "Account" SET balance = 3; "#
                    + #"DELETE FROM "Account""#)
            let changes = try #require(fixture.transactions(after: token).first).changes
            var (updates, deletes) = (0, 0)
            for change in changes {
                switch change {
                case .update(let update as DefaultHistoryUpdate<Account>):
                    #expect(update.previousValue(\.balance) == .min)
                    #expect(update.value(\.balance) == 3)
                    #expect(update.value(\.name) == nil)
                    updates += 1
                case .delete(let delete as DefaultHistoryDelete<Account>):
                    #expect(delete.tombstone[\.name] == "é\n\"{}\\ \(deletes)")
                    #expect(delete.tombstone[\.rate]??.bitPattern == values[deletes].bitPattern)
                    #expect(delete.tombstone[\.photo] == photo)
                    #expect(!delete.tombstone.attributeNames.contains("balance"))
                    deletes += 1
                default: Issue.record("\(change.line)")
                }
            }
            #expect(updates == values.count && deletes == values.count)
        }

        @Test func authorsAndMetadata() throws {
            let fixture = try HistoryFixture()
            let context = fixture.context("me")
            context.name = "main"
            context.transactionMetadata = ["reason": "a \"test\""]
            context.insert(Account("a"))
            try context.save()
            try fixture.psql(#"UPDATE "Account" SET balance = 1"#)
            let found = try fixture.transactions()
            #expect(found.map(\.author) == ["me", nil])
            #expect(found.map(\.contextName) == ["main", nil])
            #expect(found.map(\.isExternal) == [false, true])
            #expect(found.map(\.metadata) == [["reason": "a \"test\""], [:]])
            let reason = "a \"test\""
            let mine = try fixture.context().fetchHistory(
                HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.metadata["reason"] == reason }))
            #expect(mine.map(\.transactionIdentifier) == [1])
            let external = try fixture.context().fetchHistory(
                HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.isExternal }))
            #expect(external.map(\.transactionIdentifier) == [2])
            let model = try #require(found.first?.changes.first).changedPersistentIdentifier
            let changed = try fixture.context().fetchHistoryCount(
                HistoryDescriptor<DefaultHistoryTransaction>(
                    predicate: #Predicate { $0.changes.contains { $0.changedPersistentIdentifier == model } }))
            #expect(changed == 2)
            context.author = "\0"
            context.insert(Account("b"))
            #expect(throws: SwiftDataError.valueOutOfRange) { try context.save() }
        }

        /// The parameter that describes a save can be set by every program.
        @Test(arguments: [
            #"{"check": 1e30, "timestamp": 1e300, "author": 7, "metadata": {"a": 1}}"#,
            #"{"check": "x", "timestamp": {}, "author": "7", "metadata": {"a": ["b"]}}"#,
            #"{"check": 1.5, "timestamp": null, "author": "7", "metadata": "a"}"#, #"["author"]"#, #""author""#, "1",
            "null",
        ])
        func anyDescriptionIsNumbered(_ description: String) throws {
            let fixture = try HistoryFixture()
            try fixture.psql(
                """
                BEGIN; SELECT set_config('chronicle.save', '\(description)', TRUE); INSERT INTO "Entry"(amount) VALUES (1);
                COMMIT
                """)
            let start = Date.now
            let found = try #require(try fixture.transactions().first)
            #expect(found.isExternal && found.changes.count == 1 && found.metadata.isEmpty)
            #expect(found.author == (description.contains("{") ? "7" : nil))
            #expect(abs(found.timestamp.timeIntervalSince(start)) < 3_600)
        }

        @Test func aDescriptionThatIsNoJSONIsIgnored() throws {
            let fixture = try HistoryFixture()
            try fixture.psql("SET chronicle.save = '{'; INSERT INTO \"Entry\"(amount) VALUES (1)")
            #expect(try fixture.transactions().map(\.isExternal) == [true])
        }

        /// Authors and metadata with every kind of character that JSON escapes.
        @Test func descriptionsKeepTheirTexts() throws {
            let fixture = try HistoryFixture()
            let text =
                (1...0x2f).map { String(UnicodeScalar(UInt8($0))) }.joined() + "\\u0041\\ \u{7f}\u{2028}é\u{1F600}"
            let context = fixture.context(text)
            context.name = text
            context.transactionMetadata = [text: text, "": "\""]
            context.insert(Entry(1))
            try context.save()
            let found = try #require(try fixture.transactions().first)
            #expect(found.author == text)
            #expect(found.contextName == text)
            #expect(found.metadata == [text: text, "": "\""])
        }

        /// Random statements of another program; then the history is replayed and compared with the tables.
        @Test func replayedHistoryEqualsTheTables() throws {
            let seed = UInt64.random(in: .min ... .max)
            var random = SplitMix(state: seed)
            let fixture = try HistoryFixture { $0.preservesValues = true }
            var script = ""
            for _ in 0..<120 {
                let name = "n\(Int.random(in: 0..<30, using: &random))"
                let value = Int.random(in: 0..<9, using: &random)
                let upsert = "ON CONFLICT (name) DO UPDATE SET balance = excluded.balance"
                switch Int.random(in: 0..<9, using: &random) {
                case 0...2: script += "INSERT INTO \"Account\"(name, balance) VALUES ('\(name)', \(value)) \(upsert);"
                case 3: script += "UPDATE \"Account\" SET rate = \(value) / 3.0, note = NULL WHERE balance = \(value);"
                case 4: script += "DELETE FROM \"Account\" WHERE name = '\(name)';"
                case 5:
                    script +=
                        "UPDATE \"Account\" SET _rowid_ = nextval('\"Account__rowid__seq\"') WHERE name = '\(name)' "
                        + "AND NOT EXISTS (SELECT FROM \"Entry\" WHERE account = \"Account\"._rowid_);"
                case 6:
                    script +=
                        "INSERT INTO \"Entry\"(amount, account) SELECT \(value), _rowid_ FROM \"Account\" LIMIT 3;"
                case 7: script += "UPDATE \"Entry\" SET amount = amount + 1, account = NULL WHERE amount = \(value);"
                default:
                    script +=
                        "BEGIN; UPDATE \"Account\" SET note = '\(value)'; DELETE FROM \"Entry\" WHERE amount = 4; COMMIT;"
                }
            }
            try fixture.psql(script)
            var rows: [String: [String: String]] = [:]
            for change in try fixture.transactions().flatMap(\.changes) {
                let key = String(change.line.split(separator: " ")[1])
                switch change {
                case .insert: rows[key] = [:]
                case .update: #expect(rows[key] != nil, "seed \(seed)")
                case .delete:
                    #expect(rows.removeValue(forKey: key) != nil, "seed \(seed)")
                    continue
                }
                for value in change.preservedValues {
                    rows[key]?[value.name] = value.value.map { text($0) } ?? "nil"
                }
            }
            var expected: [String: [String: String]] = [:]
            let context = fixture.context()
            for account in try context.fetch(FetchDescriptor<Account>()) {
                expected["Account/\(account.persistentModelID.integerPrimaryKey ?? 0)"] = [
                    "name": account.name, "balance": "\(account.balance)",
                    "rate": account.rate.map { "\($0)" } ?? "nil",
                    "photo": "nil", "note": account.note ?? "nil",
                ]
            }
            for entry in try context.fetch(FetchDescriptor<Entry>()) {
                expected["Entry/\(entry.persistentModelID.integerPrimaryKey ?? 0)"] = [
                    "amount": "\(entry.amount)", "account": entry.account.map { text($0.persistentModelID) } ?? "nil",
                ]
            }
            #expect(!expected.isEmpty)
            #expect(rows == expected, "seed \(seed)")
        }

        private func text(_ value: any Sendable) -> String {
            (value as? PersistentIdentifier).map { "\($0.integerPrimaryKey ?? 0)" } ?? "\(value)"
        }
    }
#endif

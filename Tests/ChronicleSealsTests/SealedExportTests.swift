#if Seals
    import Chronicle
    import ChronicleCore
    import ChronicleSeals
    import ChronicleSQLite
    import ChronicleStore
    import ChronicleTestSupport
    import Foundation
    import Testing

    /// Sealed exports, which a script in Python verifies as well. It is written from the article "The seal format".
    @Suite struct SealedExportTests {
        private struct Script {
            private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()

            let status: Int32
            /// The heads of the seals.
            let heads: [String]
            let differences: String

            init(_ export: URL, _ heads: [HistorySeal] = []) throws {
                let (status, output, errors) = try Shell.run(
                    "/usr/bin/env",
                    ["python3", "-B", Self.root.appending(path: "Fixtures/verify-seals.py").path, export.path]
                        + heads.map(\.description))
                (self.status, differences) = (status, errors)
                self.heads = output.split(separator: "\n").map(String.init)
            }
        }

        private func file() throws -> URL { try TemporaryDirectory().file("export.jsonl") }

        private func lines(_ file: URL) throws -> [String] {
            try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init)
        }

        /// Writes what the reader of an export returns.
        private func copy(of export: URL) throws -> Data {
            var data = Data()
            let reader = try SealedExportReader(export)
            try withoutActuallyEscaping({ data.append($0) }) { write in
                var writer = SealedExportWriter(includesValues: reader.includesValues, write)
                _ = try writer.run(reader)
            }
            return data
        }

        private func expectProven(
            _ export: URL, _ heads: [HistorySeal], _ location: SourceLocation = #_sourceLocation
        ) throws {
            let script = try Script(export, heads)
            #expect(script.status == 0, "\(script.differences)", sourceLocation: location)
            #expect(script.heads == heads.map(\.description), sourceLocation: location)
            let verification = try SealVerification(verifyingExports: [export], heads: heads)
            #expect(verification.isProven, "\(verification)", sourceLocation: location)
            #expect(try copy(of: export) == Data(contentsOf: export), sourceLocation: location)
        }

        // MARK: Round trips

        /// With erased values, deleted transactions, a purged beginning, metadata, changes by other programs and numbered keys.
        @Test(arguments: SealedVictim.Kind.allCases, [true, false])
        func theScriptReturnsTheSameHeads(_ kind: SealedVictim.Kind, _ includesValues: Bool) throws {
            let victim = try SealedVictim(kind)
            let export = try file()
            let head = try victim.container.exportSealedHistory(to: export, includesValues: includesValues)
            let heads = try victim.container.historySeals()
            #expect(heads.last == head)
            try expectProven(export, heads)
            let names = Set(
                try lines(export).compactMap { $0.dropFirst(2).split(separator: "\"").first.map(String.init) })
            #expect(names.isSuperset(of: ["sealed", "seal", "catalog", "event", "transaction", "change", "complete"]))
        }

        /// Without values, the export contains no text of the models, the authors and the metadata, and no key.
        @Test(arguments: StoreKind.allCases) func anExportWithoutValuesContainsNone(_ kind: StoreKind) throws {
            let store = try TestStore(kind, preservesValues: true)
            try store.add("a secret name", author: "a secret author")
            let head = try store.container.sealHistory()
            let (complete, anonymous) = (try file(), try file())
            try store.container.exportSealedHistory(to: complete)
            try store.container.exportSealedHistory(to: anonymous, includesValues: false)
            let texts = ["a secret name", "a secret author", "\"key\"", "\"value\"", "\"description\""]
            for text in texts {
                #expect(try String(contentsOf: complete, encoding: .utf8).contains(text))
                #expect(try !String(contentsOf: anonymous, encoding: .utf8).contains(text))
            }
            for export in [complete, anonymous] { try expectProven(export, [head]) }
        }

        /// Values as SQL. Each is replaced in the history before it is sealed.
        private static let values = [
            "NULL", "1", "1.0", "'1'", "9223372036854775807", "-9223372036854775808", "-0.0", "0.0", "9e999", "-9e999",
            "5e-324", "1.7976931348623157e308", "0.1", "1e16", "''", "x''", "x'00ff3e3f'", "CAST(x'ff' AS TEXT)",
            "CAST(x'eda080' AS TEXT)", "CAST(x'610062' AS TEXT)", "'é'", "CAST(x'65cc81' AS TEXT)",
            "CAST(x'e280aee280a80a0d1b7f' AS TEXT)", "'\"\\/'",
            "'Trip'", "'{\"real\":\"1.0\"}'", "'𝄞'",
        ]

        @Test(arguments: StoreKind.allCases) func valuesKeepTheirBytes(_ kind: StoreKind) throws {
            let store = try TestStore(kind, preservesValues: true)
            let empty = try store.container.sealHistory()
            let context = store.context(author: "e\u{301}")
            for number in 0...Self.values.count {
                let trip = Trip(name: "trip \(number)", destination: "somewhere")
                context.insert(trip)
                try context.save()
                trip.note = "another"
                try context.save()
            }
            let chronicle = try #require(store.container.stores.first as? DefaultStore)
            try SealedVictim.database(of: chronicle).write { connection in
                let rows =
                    "SELECT id FROM chronicle_change WHERE kind > 0 AND kind & 15 <> 2 AND attributes IS NOT NULL"
                for (index, value) in Self.values.enumerated() {
                    for (column, offset) in [("new_value", index), ("old_value", index * 2)] {
                        try connection.execute(
                            """
                            UPDATE chronicle_change SET \(column) = \(value) \
                            WHERE id = (\(rows) ORDER BY id LIMIT 1 OFFSET \(offset))
                            """)
                    }
                }
            }
            let head = try store.container.sealHistory()
            let export = try file()
            try store.container.exportSealedHistory(to: export)
            try expectProven(export, [empty, head])
            let text = try String(contentsOf: export, encoding: .utf8)
            for form in [
                "{\"real\":\"-0.0\"}", "{\"real\":\"inf\"}", "{\"real\":\"-inf\"}", "{\"utf8\":\"_w\"}",
                "{\"binary\":\"\"}",
                ":9223372036854775807", "a\\u0000b",
            ] {
                #expect(text.contains(form), "\(form)")
            }
        }

        // MARK: The article

        private static let article = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Sources/Chronicle/Chronicle.docc/SealFormat.md")

        /// The example of the article, with another text in place of one of its texts.
        private func example(_ text: String = "", _ other: String = "") throws -> URL {
            let parts = try String(contentsOf: Self.article, encoding: .utf8).components(separatedBy: "```json\n")
            let example = try #require(parts.last?.components(separatedBy: "```").first)
            #expect(parts.count == 2 && (text.isEmpty || example.contains(text)))
            let export = try file()
            try Data((text.isEmpty ? example : example.replacingOccurrences(of: text, with: other)).utf8).write(
                to: export)
            return export
        }

        private let head = HistorySeal("2:txSlOprHyBfCA6XM0i-Id0B6lJY3NRfiqQwZJbnYWYw")

        @Test func theExampleOfTheArticleIsProven() throws {
            try expectProven(try example(), [try #require(head)])
        }

        @Test(arguments: [
            ("Oslo", "Bergen"), ("\"after\"", "\"before\""), ("785548800.25", "785548800.5"), ("import", "other"),
            ("reason", "other"),
            ("\"process\":\"71\"", "\"process\":\"72\""),
            ("\"primaryKey\":7", "\"primaryKey\":8"), ("\"kind\":\"insert\"", "\"kind\":\"delete\""),
            ("\"kind\":\"ordinary\"", "\"kind\":\"external\""), ("\"first\":1", "\"first\":2"),
            ("\"checkValue\":-811", "\"checkValue\":811"), ("\"lastCheck\":-811", "\"lastCheck\":811"),
            ("785548801.0", "785548801.5"), ("785548800.5", "785548800.75"),
            ("\"kind\":\"begun\"", "\"kind\":\"ended\""),
            ("\"detail\":\"{}\"", "\"detail\":\"{ }\""), ("\"name\":\"Trip\"", "\"name\":\"Walk\""),
            ("\"present\":true", "\"present\":false"), ("\"type\":\"String\"", "\"type\":\"Int\""),
            ("AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE", "AgEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE"),
            ("9E02C1D4", "9E02C1D5"),
        ])
        func aChangedTextIsReported(_ text: String, _ other: String) throws {
            let (export, head) = (try example(text, other), try #require(head))
            let verification = try SealVerification(verifyingExports: [export], heads: [head])
            #expect(verification.difference != nil && !verification.isProven)
            let script = try Script(export, [head])
            #expect(script.status == 1)
            #expect(script.differences.hasPrefix("line "))
        }

        @Test(arguments: [
            ("\"version\":1", "\"version\":2"), ("\"version\":1", "\"version\":1,\"version\":1"),
            ("\"first\":1", "\"first\":1.0"),
            ("\"first\":1", "\"first\":1,\"author\":\"bob\""), ("\"first\":1", "\"first\":9223372036854775808"),
            ("\"first\":1", "\"first\": 1"), ("\"row\":[1]", "\"row\":[1,2]"), ("\"after\"", "\"\\u0061fter\""),
            ("AQEB", "AQE+"),
            ("AQEBAQE\"", "AQEBAQF\""), ("\"785548800.25\"", "785548800.25"), ("785548800.25", "785548800.250"),
            ("\"Oslo\"", "{\"utf8\":\"T3Nsbw\"}"), ("\"Oslo\"", "{\"real\":\"1.0\",\"binary\":\"\"}"),
            ("\"Oslo\"", "[]"),
            ("\"changes\":1", "\"changes\":2"), ("\"firstSeal\":1", "\"firstSeal\":2"), ("{\"change\":", "{\"key\":"),
            ("{\"complete\":", "{\"sealed\":"), ("\n{\"change\"", "\n\n{\"change\""), ("\n", "\r\n"),
        ])
        func anInvalidLineIsAnError(_ text: String, _ other: String) throws {
            let export = try example(text, other)
            let error = #expect(throws: SwiftDataError.invalidHistoryExport) {
                try SealVerification(verifyingExports: [export])
            }
            #expect(error?.detail?.contains("line ") == true)
        }

        @Test func anExportThatWasCutOffIsAnError() throws {
            let data = try Data(contentsOf: try example())
            for count in stride(from: 0, to: data.count, by: 7) {
                let export = try file()
                try data.prefix(count).write(to: export)
                #expect(throws: SwiftDataError.invalidHistoryExport) {
                    try SealVerification(verifyingExports: [export])
                }
            }
        }

        // MARK: Other errors

        @Test(arguments: StoreKind.allCases) func aHistoryThatIsNotSealedIsNotExported(_ kind: StoreKind) throws {
            let store = try TestStore(kind, preservesValues: true)
            try store.add("a")
            let export = try file()
            try Data("before".utf8).write(to: export)
            let error = #expect(throws: SwiftDataError.invalidTransactionFetchRequest) {
                try store.container.exportSealedHistory(to: export)
            }
            #expect(error?.detail?.contains("sealHistory") == true)
            #expect(try Data(contentsOf: export) == Data("before".utf8))
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: export.deletingLastPathComponent().path).count == 1)
        }

        @Test(arguments: StoreKind.allCases) func aSealedExportIsNotReplayed(_ kind: StoreKind) throws {
            let store = try TestStore(kind)
            let export = try example()
            let error = #expect(throws: SwiftDataError.invalidHistoryExport) {
                try store.container.replayHistory(from: export)
            }
            #expect(error?.detail?.contains("sealed export") == true)
        }

        @Test func aFileThatIsNoSealedExportIsAnError() throws {
            let export = try file()
            #expect(throws: SwiftDataError.invalidHistoryExport) { try SealVerification(verifyingExports: [export]) }
            try Data("{\"header\":{}}\n".utf8).write(to: export)
            let error = #expect(throws: SwiftDataError.invalidHistoryExport) {
                try SealVerification(verifyingExports: [export])
            }
            #expect(error?.detail?.contains("chronicle export --sealed") == true)
        }
    }
#endif

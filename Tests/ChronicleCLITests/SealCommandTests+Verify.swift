#if Seals
    import Chronicle
    import ChronicleTestSupport
    import Foundation
    import Testing

    @testable import ChronicleCLI

    /// What `chronicle verify` says about a sealed history.
    @Suite struct SealVerifyCommandTests {
        private let file: URL
        /// The seal of the first transactions.
        private let head: HistorySeal

        /// A file with consumers would not be purged.
        init() async throws {
            file = try GoldenStore.copy()
            _ = try await CommandRun("consumers", "--remove", "search", file.path)
            head = try await CommandRun.seal(file)
        }

        private func verify(_ heads: HistorySeal..., options: [String] = []) async throws -> CommandRun {
            try await CommandRun(["verify"] + heads.flatMap { ["--seal", "\($0)"] } + options + [file.path])
        }

        /// Changes the file, and seals the change.
        private func sealedChange(_ destination: String) async throws -> HistorySeal {
            _ = try Shell.sqlite3(file, "UPDATE Trip SET destination = '\(destination)'")
            return try await CommandRun.seal(file)
        }

        private func copy() throws -> URL {
            let copy = try TemporaryDirectory().file("copy.store")
            _ = try Shell.sqlite3(file, "VACUUM INTO '\(copy.path)'")
            return copy
        }

        // MARK: Proven

        @Test func aHeadIsProven() async throws {
            let summary = try await CommandRun("verify", file.path)
            #expect(summary.status == 0 && summary.errors.isEmpty, "\(summary)")
            let lines = summary.output.split(separator: "\n")
            #expect(lines.count == 2 && lines.last == "The file is valid.", "\(summary.output)")
            #expect(lines[0].hasPrefix("The history is what its 1 seal says up to \(head) of 20"), "\(summary.output)")
            let next = try await sealedChange("Bergen")
            let run = try await verify(next, head)
            #expect(run.status == 0, "\(run)")
            #expect(run.output.hasPrefix("proven     \(next)\nproven     \(head)\nThe history is what its 2 seals say"))
        }

        @Test func changesThatAreNotSealedAreCounted() async throws {
            let context = ModelContext(
                try ModelContainer(
                    for: Schema(GoldenStore.types),
                    configurations: [ModelConfiguration(url: file, preservesValues: true)]))
            context.insert(LinkTag("violet", weight: 4))
            try context.save()
            let run = try await verify(head)
            #expect(run.status == 0 && run.output.contains("\n1 transaction is not sealed yet.\n"), "\(run)")
        }

        @Test func headsAreReadFromFilesAndTheInput() async throws {
            let heads = try TemporaryDirectory().file("heads.txt")
            let next = try await sealedChange("Bergen")
            try Data("\(head)\r\n\n  \(next)\n".utf8).write(to: heads)
            let run = try await verify(options: ["--seal", "@\(heads.path)"])
            #expect(run.status == 0 && run.output.hasPrefix("proven     \(head)\nproven     \(next)\n"), "\(run)")
            let program = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
                .appending(path: "chronicle")
            let piped = try Shell.run(
                "/bin/bash", ["-c", "'\(program.path)' verify '\(file.path)' --seal - < '\(heads.path)'"])
            #expect(piped.status == 0 && piped.output.hasPrefix("proven     \(head)\nproven"), "\(piped)")
            try Data("\n\n".utf8).write(to: heads)
            let empty = try await verify(options: ["--seal", "@\(heads.path)"])
            #expect(empty.status == 2 && empty.errors.contains("contains no head"), "\(empty)")
            try Data("\(head)\n\nx\n".utf8).write(to: heads)
            let wrong = try await verify(options: ["--seal", "@\(heads.path)"])
            #expect(wrong.status == 2 && wrong.errors.contains("heads.txt, line 3: x is not a head"), "\(wrong)")
        }

        @Test func resultsAreJSON() async throws {
            let next = try await sealedChange("Bergen")
            let run = try await verify(head, next, options: ["--json"])
            let objects = try run.output.split(separator: "\n").map { line in
                try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            }
            try #require(objects.count == 3)
            #expect(objects.prefix(2).compactMap { $0["head"] as? String } == ["\(head)", "\(next)"])
            #expect(objects.prefix(2).allSatisfy { $0["outcome"] as? String == "proven" })
            #expect(objects[2]["isProven"] as? Bool == true && objects[2]["seals"] as? Int == 2)
            #expect(objects[2]["newest"] as? String == "\(next)" && objects[2]["difference"] is NSNull)
            let events = try #require(objects[2]["events"] as? [[String: Any]])
            #expect(events.first?["kind"] as? String == "begun" && events.first?["detail"] is [String: Any])
            let absent = try await CommandRun("verify", "--json", "--seal", "9\(next)", file.path)
            #expect(
                absent.status == 1 && absent.output.hasPrefix(#"{"head":"9\#(next)","outcome":"absent"}"#), "\(absent)")
        }

        // MARK: Attacks

        @Test func aChangedValueIsFound() async throws {
            let next = try await sealedChange("Bergen")
            let changed = try Shell.sqlite3(
                file, "UPDATE chronicle_change SET new_value = 'Paris' WHERE new_value = 'Bergen'; SELECT changes()")
            #expect(changed == "1")
            let run = try await verify(head, next)
            #expect(run.status == 1, "\(run)")
            #expect(
                run.output.contains("proven     \(head)\n") && run.output.contains("different  \(next)\n"), "\(run)")
            #expect(run.output.contains("\nvalue      position ") && run.output.contains(", seal 2: "), "\(run)")
            #expect(run.output.contains("\n           everything up to \(head) is what was sealed\n"), "\(run)")
            #expect(run.output.hasSuffix(" found.\n"), "\(run)")
            let json = try await verify(head, options: ["--json"])
            #expect(json.output.contains(#""difference":{"kind":"value","position":"#), "\(json)")
            #expect(try await CommandRun("verify", file.path).status == 1)
        }

        @Test func aChangedAuthorIsFound() async throws {
            _ = try Shell.sqlite3(file, "UPDATE chronicle_source SET author = 'gadget' WHERE author = 'widget'")
            let run = try await verify(head)
            #expect(run.status == 1 && run.output.contains("\ndescription  position "), "\(run)")
            #expect(
                run.output.contains("different  \(head)\n") && run.output.contains("nothing before it is proven"),
                "\(run)")
        }

        @Test func anOlderFileIsAbsent() async throws {
            let older = try copy()
            let next = try await sealedChange("Bergen")
            let run = try await CommandRun("verify", "--seal", "\(head)", "--seal", "\(next)", older.path)
            #expect(run.status == 1, "\(run)")
            #expect(run.output.contains("proven     \(head)\nabsent     \(next)\n"), "\(run)")
            #expect(
                run.output.contains(
                    "the chain ends at \(head.position): its end was removed, or the file is an older one"))
            #expect(run.output.hasSuffix("\n1 of 2 heads is not proven.\n"), "\(run)")
            #expect(try await CommandRun("verify", older.path).status == 0)
        }

        @Test func theEndIsMissing() async throws {
            let next = try await sealedChange("Bergen")
            _ = try Shell.sqlite3(file, "DELETE FROM chronicle_seal WHERE number = 2")
            let run = try await verify(next)
            #expect(run.status == 1 && run.output.contains("absent     \(next)\n"), "\(run)")
        }

        @Test func anotherBranchIsForked() async throws {
            let other = try copy()
            let next = try await sealedChange("Bergen")
            _ = try Shell.sqlite3(other, "UPDATE Trip SET destination = 'Bergen'")
            let branch = try await CommandRun.seal(other)
            #expect(branch.position == next.position && branch != next)
            let run = try await verify(head, branch)
            #expect(run.status == 1 && run.output.contains("proven     \(head)\nforked     \(branch)\n"), "\(run)")
        }

        @Test func anUnsealedFileProvesNothing() async throws {
            let unsealed = try GoldenStore.copy()
            let run = try await CommandRun("verify", "--seal", "\(head)", unsealed.path)
            #expect(
                run.status == 1 && run.output.contains("absent     \(head)\n           the history is not sealed\n"))
            #expect(run.output.hasSuffix("\n1 of 1 head is not proven.\n"), "\(run)")
        }

        /// Each head has a line also if the seals cannot be read.
        @Test func aRemovedTableProvesNothing() async throws {
            _ = try Shell.sqlite3(file, "DROP TABLE chronicle_seal")
            let run = try await verify(head)
            #expect(run.status == 1 && run.output.contains("\ndifferent  \(head)\n"), "\(run)")
            #expect(run.output.hasSuffix("\n1 problem found.\n"), "\(run)")
            #expect(run.errors.contains("Note: the seals cannot be verified: "), "\(run)")
            let json = try await verify(head, options: ["--json"])
            #expect(json.output.contains(#"{"head":"\#(head)","outcome":"different"}"#), "\(json)")
        }

        // MARK: Purges and erasures

        @Test func aPurgeNeedsAnArchive() async throws {
            let second = try await sealedChange("Bergen")
            let third = try await sealedChange("Trondheim")
            let archive = file.deletingLastPathComponent().appending(path: "archive.jsonl")
            #expect(try await CommandRun("export", "--sealed", "-o", archive.path, file.path).status == 0)
            let purge = try await CommandRun("purge", "--max-changes", "1", file.path)
            #expect(purge.status == 0 && !purge.output.hasPrefix("Deleted 0 "), "\(purge)")
            // The event is after each head, so it can be forged.
            let doubtful = try await verify(third)
            #expect(
                doubtful.status == 1 && doubtful.output.contains("proven     \(third)\n           if event "),
                "\(doubtful)")
            #expect(doubtful.output.contains("\n1 event is not sealed yet.\n"), "\(doubtful)")
            let newest = try await CommandRun.seal(file)
            let run = try await verify(third, newest)
            #expect(run.status == 0 && run.output.contains("\nThe history was purged up to \(second).\n"), "\(run)")
            #expect(run.output.contains(" because of the limits of a call (more than 1 change), in seal 4\n"), "\(run)")
            let purged = try await verify(head, newest)
            #expect(purged.status == 1 && purged.output.hasPrefix("purged     \(head)\n"), "\(purged)")
            #expect(purged.output.hasSuffix("\n1 of 2 heads is not proven.\n"), "\(purged)")
            let whole = try await verify(head, second, third, newest, options: ["--archive", archive.path])
            #expect(whole.status == 0 && whole.output.components(separatedBy: "proven     ").count == 5, "\(whole)")
            let export = file.deletingLastPathComponent().appending(path: "rest.jsonl")
            #expect(try await CommandRun("export", "--sealed", "-o", export.path, file.path).status == 0)
            let exports = try await CommandRun(
                "verify", "--seal", "\(head)", "--seal", "\(newest)", "--archive", archive.path, export.path)
            #expect(exports.status == 0 && exports.output.hasSuffix("\nThe export is valid.\n"), "\(exports)")
            let lines = try String(contentsOf: archive, encoding: .utf8)
            try #require(lines.contains("Bergen"))
            try Data(lines.replacing("Bergen", with: "Paris").utf8).write(to: archive)
            for path in [file.path, export.path] {
                let changed = try await CommandRun(
                    "verify", "--seal", "\(newest)", "--archive", archive.path, path)
                #expect(changed.status == 1 && changed.output.contains("different  \(newest)\n"), "\(changed)")
                #expect(changed.output.contains(", seal 2: archive.jsonl: "), "\(changed)")
            }
        }

        /// The tool's clock is an hour after the transactions.
        @Test func anErasureIsAnException() async throws {
            let purge = try await CommandRun("purge", "--erase-values", "Trip.note=0s", file.path)
            let count = try #require(purge.output.firstMatch(of: /Erased (\d+) preserved/).flatMap { Int($0.output.1) })
            let erased = NumberText.counted(count, "erased value")
            let before = try await verify(head)
            #expect(before.status == 1 && count > 0, "\(before)")
            #expect(before.output.hasPrefix("proven     \(head), except \(erased)\n           if event "), "\(before)")
            #expect(before.output.contains("pass a later head"), "\(before)")
            let newest = try await CommandRun.seal(file)
            let run = try await verify(head, newest)
            #expect(run.status == 0, "\(run)")
            #expect(run.output.hasPrefix("proven     \(head), except \(erased)\n"), "\(run)")
            #expect(run.output.contains(" by a rule for values older than 0 s, in seal 2\n"), "\(run)")
            let json = try await verify(head, newest, options: ["--json"])
            #expect(
                json.output.contains(#""exceptions":{"erasedValues":\#(count),"deletedTransactions":0,"#), "\(json)")
        }
    }
#endif

import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleCLI

#if Seals
    /// `chronicle seal`, key files, and `chronicle export --sealed`.
    @Suite struct SealCommandTests {
        @Test func theHeadIsPrinted() async throws {
            let file = try GoldenStore.copy()
            let first = try await CommandRun("seal", file.path)
            #expect(first.status == 0 && first.errors.contains("format 3"), "\(first.errors)")
            let head = try #require(HistorySeal(first.output.trimmingCharacters(in: .newlines)))
            #expect(first.output == "\(head)\n" && first.output.utf8.count <= 64)
            // Nothing has changed since.
            let again = try await CommandRun("seal", file.path)
            #expect(again.output == first.output && again.errors.isEmpty)
            let json = try await CommandRun("seal", "--json", file.path)
            #expect(json.output == "{\"head\":\"\(head)\",\"position\":\(head.position)}\n")
            _ = try Shell.sqlite3(file, "UPDATE Trip SET destination = 'Bergen'")
            let next = try await CommandRun.seal(file)
            #expect(next.position > head.position)
            let last = try await CommandRun.seal(file, "--end")
            #expect(last.position == next.position && last != next)
        }

        @Test func aTrackedDatabaseIsSealed() async throws {
            let file = try TrackedFile.make()
            let head = try await CommandRun.seal(file)
            _ = try Shell.sqlite3(file, "UPDATE label SET color = 5")
            let next = try await CommandRun.seal(file)
            #expect(next.position > head.position)
            let run = try await CommandRun("verify", "--seal", "\(head)", "--seal", "\(next)", file.path)
            #expect(run.status == 0, "\(run)")
        }

        @Test(arguments: [
            (["seal", "missing.store"], 3, "missing.store: No such file or directory"),
            (["export", "--sealed", "FILE"], 2, "the history is not sealed; `chronicle seal FILE` seals it"),
            (["export", "--without-values", "FILE"], 2, "--without-values requires --sealed"),
            (["export", "--sealed", "--after", "start", "FILE"], 2, "--sealed and --after exclude each other"),
            (["export", "--sealed", "--snapshot", "FILE"], 2, "--sealed and --snapshot exclude each other"),
            (["seal", "--generate-key", "key", "FILE"], 2, "--generate-key seals nothing; leave out FILE"),
            (["seal", "--generate-key", "/dev/null/key"], 3, "/dev/null/key: Not a directory"),
            (["seal", "--sign", "FILE", "FILE"], 2, "FILE contains no key; `chronicle seal --generate-key KEYFILE`"),
            (["seal", "--sign", "missing", "FILE"], 3, "missing: No such file or directory"),
            (["verify", "--seal", "1:x", "FILE"], 2, "1:x is not a head; write a position, a colon and a hash"),
            (["verify", "--seal", "@missing", "FILE"], 3, "missing: No such file or directory"),
            (["verify", "--archive", "missing", "FILE"], 3, "missing: No such file or directory"),
            (
                ["verify", "--signed-by", "x", "FILE"], 2,
                "x is not a public key; `chronicle seal --generate-key KEYFILE`"
            ),
        ])
        func errors(_ arguments: [String], _ status: Int32, _ message: String) async throws {
            let file = try GoldenStore.copy()
            let run = try await CommandRun(arguments.map { $0 == "FILE" ? file.path : $0 })
            let text = run.errors.replacing(file.path, with: "FILE")
            #expect(run.status == status && text.contains(message), "\(run)")
            // Nothing was sealed.
            #expect(try DefaultStore.formatVersion(ofFileAt: file) == DefaultStore.currentFormatVersion)
        }

        @Test func aStoreOfSwiftDataIsNotSealed() async throws {
            let store = try AppleTrips.write(to: TemporaryDirectory())
            let run = try await CommandRun("seal", store.path)
            #expect(run.status == 2 && run.errors.contains("a store of SwiftData or Core Data"), "\(run)")
        }

        // MARK: Keys

        @Test func keysSignSeals() async throws {
            let file = try GoldenStore.copy()
            let directory = try TemporaryDirectory()
            let (key, other) = (directory.file("key"), directory.file("other"))
            func generate(_ url: URL) async throws -> String {
                let run = try await CommandRun("seal", "--generate-key", url.path)
                #expect(run.status == 0 && run.errors.isEmpty, "\(run)")
                return run.output.trimmingCharacters(in: .newlines)
            }
            let (publicKey, otherKey) = (try await generate(key), try await generate(other))
            #expect(publicKey.utf8.count == 43 && publicKey != otherKey)
            let attributes = try FileManager.default.attributesOfItem(atPath: key.path)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            let content = try String(contentsOf: key, encoding: .utf8)
            #expect(content.utf8.count == 44 && content.hasSuffix("\n") && !content.contains(publicKey))
            let again = try await CommandRun("seal", "--generate-key", key.path)
            #expect(again.status == 2 && again.errors.contains("a key is never replaced"), "\(again)")
            #expect(try String(contentsOf: key, encoding: .utf8) == content)

            let head = try await CommandRun.seal(file)
            func verify(_ key: String) async throws -> CommandRun {
                try await CommandRun("verify", "--signed-by", key, "--seal", "\(head)", file.path)
            }
            let unsigned = try await verify(publicKey)
            #expect(unsigned.status == 1, "\(unsigned)")
            #expect(unsigned.output.hasSuffix("No seal is signed with the key, so nothing is proven.\n"), "\(unsigned)")
            let signed = try await CommandRun("seal", "--sign", key.path, file.path)
            #expect(signed.status == 0 && signed.errors.isEmpty, "\(signed)")
            let verified = try await verify(publicKey)
            #expect(verified.status == 0, "\(verified)")
            #expect(try await verify(otherKey).status == 1)
            let twice = try await CommandRun("verify", "--signed-by", publicKey, "--signed-by", otherKey, file.path)
            #expect(twice.status == 2 && twice.errors.contains("--signed-by can be given once"), "\(twice)")
        }

        @Test func aReadableKeyIsNoted() async throws {
            let file = try GoldenStore.copy()
            let key = try TemporaryDirectory().file("key")
            _ = try await CommandRun("seal", "--generate-key", key.path)
            try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: key.path)
            let run = try await CommandRun("seal", "--sign", key.path, file.path)
            #expect(run.status == 0 && run.errors.contains("Note: others can read the key"), "\(run)")
        }

        // MARK: Exports

        @Test(arguments: [true, false]) func anExportIsVerifiedAlone(_ includesValues: Bool) async throws {
            let file = try GoldenStore.copy()
            let head = try await CommandRun.seal(file)
            let export = file.deletingLastPathComponent().appending(path: "sealed.jsonl")
            let options = includesValues ? [] : ["--without-values"]
            let run = try await CommandRun(["export", "--sealed", "-o", export.path, file.path] + options)
            #expect(run.status == 0 && run.output.isEmpty && run.errors.contains("up to \(head)"), "\(run)")
            let text = try String(contentsOf: export, encoding: .utf8)
            #expect(text.hasPrefix(#"{"sealed":"#) && text.contains("umbrella") == includesValues)
            #expect(try await CommandRun(["export", "--sealed", file.path] + options).output == text)

            let verified = try await CommandRun("verify", "--seal", "\(head)", export.path)
            #expect(verified.status == 0 && verified.output.hasSuffix("\nThe export is valid.\n"), "\(verified)")
            #expect(verified.output.hasPrefix("proven     \(head)\n"), "\(verified)")
            #expect(try await CommandRun("verify", "--seal", "1\(head)", export.path).status == 1)
            var lines = text.split(separator: "\n")
            lines.remove(at: lines.count / 2)
            try Data(lines.map { $0 + "\n" }.joined().utf8).write(to: export)
            let damaged = try await CommandRun("verify", "--seal", "\(head)", export.path)
            #expect(damaged.status == 1 || damaged.status == 3, "\(damaged)")
            let imported = try await CommandRun("import", file.path + "2", export.path)
            #expect(
                imported.status == 2 && imported.errors.contains("is a sealed export, which cannot be replayed"),
                "\(imported)")
        }
    }

    extension CommandRun {
        /// Seals a file, and returns the head.
        static func seal(_ file: URL, _ options: String...) async throws -> HistorySeal {
            let run = try await CommandRun(["seal"] + options + [file.path])
            guard run.status == 0, let head = HistorySeal(run.output.trimmingCharacters(in: .newlines)) else {
                throw Shell.Failure(description: "the file was not sealed: \(run.output)\(run.errors)")
            }
            return head
        }
    }
#else
    /// A tool without the trait.
    @Suite struct SealCommandTests {
        @Test(arguments: [
            ["seal", "FILE"], ["seal", "--generate-key", "key"], ["verify", "--seal", "1:x", "FILE"],
            ["verify", "--archive", "x", "FILE"], ["verify", "--signed-by", "x", "FILE"],
            ["export", "--sealed", "FILE"],
        ])
        func theErrorSaysHowToBuildIt(_ arguments: [String]) async throws {
            let file = try GoldenStore.copy()
            let run = try await CommandRun(arguments.map { $0 == "FILE" ? file.path : $0 })
            #expect(run.status == 2 && run.errors.contains("build it with --traits default,Seals"), "\(run)")
        }
    }
#endif

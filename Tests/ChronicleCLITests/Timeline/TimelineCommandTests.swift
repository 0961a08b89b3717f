import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleCLI

/// `chronicle timeline`: what the page contains, and how the file is written.
struct TimelineCommandTests {
    /// Runs the command without a process.
    private func run(_ arguments: [String]) async -> (status: Int32, output: String, errors: String) {
        var settings = Console.Settings()
        settings.timeZone = .gmt
        var output = Data(), errors = Data()
        let console = Console(settings, output: { output += $0 }, errors: { errors += $0 })
        let status = await Tool.run(["timeline"] + arguments, console)
        return (status, String(decoding: output, as: UTF8.self), String(decoding: errors, as: UTF8.self))
    }

    /// The data of a page.
    private func data(_ url: URL) throws -> PageData {
        let page = try String(contentsOf: url, encoding: .utf8)
        let start = try #require(page.range(of: #"<script type="application/json" id="data">"#)).upperBound
        let end = try #require(page.range(of: "</script>", range: start..<page.endIndex)).lowerBound
        return try JSONDecoder().decode(PageData.self, from: Data(page[start..<end].utf8))
    }

    private struct PageData: Decodable {
        struct Block: Decodable { let authors: [String], ids: [Int64], kinds: [Int], counts: [Int] }
        let file: String, live: Bool, blocks: [Block], position: String, note: String?
    }

    @Test func `writes a page with all transactions`() async throws {
        let store = try TimelineFixtures.makeStore()
        let before = try Data(contentsOf: store.url)
        let page = store.directory.file("out.html")
        let result = await run([store.url.path, "-o", page.path])
        #expect(result.status == 0 && result.errors == "")
        #expect(
            result.output.contains("out.html: 15 transactions with 17 changes, 0.1 MB\n")
                || result.output.contains("0.0 MB"))
        let data = try data(page)
        #expect(data.file == "test.store" && !data.live && data.note == nil)
        #expect(data.blocks.flatMap(\.counts).reduce(0, +) == data.blocks.flatMap(\.kinds).count)
        #expect(try Data(contentsOf: store.url) == before)
        // A placeholder or another resource would be requested.
        let text = try String(contentsOf: page, encoding: .utf8)
        #expect(!text.contains("{{"))
        #expect(!text.contains("src=\"") && !text.contains("http://") && !text.contains("@import"))
        let json = await run([store.url.path, "-o", page.path, "--json", "--force"])
        #expect(json.output.contains(#""transactions":15"#) && json.output.contains(#""complete":true"#))
    }

    @Test(arguments: [
        (["-n", "2"], 2), (["--author", "widget"], 2), (["--author", ""], 2), (["--entity", "BucketListItem"], 2),
        (["--author", "app", "-n", "3"], 3),
    ])
    func `selects transactions`(options: [String], count: Int) async throws {
        let store = try TimelineFixtures.makeStore()
        let page = store.directory.file("out.html")
        let result = await run([store.url.path, "-o", page.path] + options)
        #expect(result.status == 0, "\(result.errors)")
        let data = try data(page)
        #expect(data.blocks.flatMap(\.ids).count == count)
        #expect(data.note?.contains(options[0].hasPrefix("--") ? options[0] : "--number") == true)
    }

    @Test func `contains titles, and tags up to its last transaction`() async throws {
        let store = try TimelineFixtures.makeStore()
        let page = store.directory.file("out.html")
        let history: [DefaultHistoryTransaction] = try store.context().fetchHistory(HistoryDescriptor())
        let tag = try store.context().tag("</script>", replacing: false)
        let newest = try #require(tag.position(in: history[0].storeIdentifier))
        #expect(await run([store.url.path, "-o", page.path]).status == 0)
        var text = try String(contentsOf: page, encoding: .utf8)
        #expect(text.contains(#""skips":false,"tags":[{"name":"\u003c/script>","id":\#(newest)}]"#))
        #expect(text.contains(#"{"name":"Trip","title":0,"links":[],"relationships":[{"name":"bucketList","kinds":["#))
        #expect(text.contains(#""isOwn":true}],"kindOf":[],"attributes":["name",""#))
        let options = ["--title", "note", "--title", "title", "--before", "\(history[2].transactionIdentifier)"]
        #expect(await run([store.url.path, "-f", "-o", page.path] + options).status == 0)
        text = try String(contentsOf: page, encoding: .utf8)
        #expect(text.contains(#""skips":false,"tags":[]"#))
        #expect(!text.contains(#"{"name":"Trip","title":0"#) && text.contains(#"{"name":"Trip","title":"#))
        #expect(await run([store.url.path, "-f", "-o", page.path, "--author", "app"]).status == 0)
        #expect(try String(contentsOf: page, encoding: .utf8).contains(#""skips":true"#))
        let unknown = await run([store.url.path, "-f", "-o", page.path, "--title", "nmae"])
        #expect(unknown.status == 2 && unknown.errors.contains("no entity has an attribute nmae; did you mean name?"))
    }

    @Test func `selects transactions by their position`() async throws {
        let store = try TimelineFixtures.makeStore()
        let page = store.directory.file("out.html")
        let history: [DefaultHistoryTransaction] = try store.context().fetchHistory(HistoryDescriptor())
        let (first, last) = (history[2].transactionIdentifier, history[6].transactionIdentifier)
        let result = await run([store.url.path, "-o", page.path, "--after", "\(first)", "--before", "\(last)"])
        #expect(result.status == 0, "\(result.errors)")
        let ids = try data(page).blocks.flatMap { block in
            block.ids.reduce(into: [Int64]()) { $0.append(($0.last ?? 0) + $1) }
        }
        #expect(ids == history[3...6].map(\.transactionIdentifier).reversed())
    }

    @Test func `leaves out earlier transactions if the page would be too large`() async throws {
        let store = try TestStore(.file, preservesValues: true)
        let context = store.context(author: "app")
        for number in 0..<40 {
            // Each transaction has about 60 kB.
            for part in 0..<100 {
                context.insert(
                    Trip(name: "\(number).\(part) " + String(repeating: "x", count: 400), destination: "Rome"))
            }
            try context.save()
        }
        let page = store.directory.file("out.html")
        let result = await run([store.url.path, "-o", page.path, "--size", "1"])
        #expect(result.status == 0)
        #expect(result.errors.contains("the page contains the newest transactions only"))
        let size = try #require(try FileManager.default.attributesOfItem(atPath: page.path)[.size] as? Int)
        #expect(size < 1_100_000)
        let data = try data(page)
        #expect((2..<40).contains(data.blocks.flatMap(\.ids).count))
        #expect(data.note?.contains("1 MB") == true)
        let text = try String(contentsOf: page, encoding: .utf8)
        #expect(text.contains("39.99 xxx"))
        #expect(!text.contains(String(repeating: "x", count: 251)), "texts are shortened")
    }

    @Test func `replaces a page only when it is complete`() async throws {
        let store = try TimelineFixtures.makeStore()
        let page = store.directory.file("out.html")
        try Data("old".utf8).write(to: page)
        let existing = await run([store.url.path, "-o", page.path])
        #expect(existing.status == 2 && existing.errors.contains("exists; replace it with --force"))
        #expect(try Data(contentsOf: page) == Data("old".utf8))
        let unknown = await run([store.url.path, "-o", page.path, "--force", "--entity", "Trep"])
        #expect(unknown.status == 2)
        #expect(unknown.errors.contains("did you mean Trip?"))
        #expect(try Data(contentsOf: page) == Data("old".utf8))
        let missing = await run([store.directory.file("none.store").path, "-o", page.path])
        #expect(missing.status == 3)
        #expect(try Data(contentsOf: page) == Data("old".utf8))
        let folder = await run([store.url.path, "-o", store.directory.file("missing/out.html").path])
        #expect(folder.status == 3)
        #expect(await run([store.url.path, "-f", "-o", page.path]).status == 0)
        #expect(try Data(contentsOf: page).count > 1_000)
        // No temporary file remains.
        let names = try FileManager.default.contentsOfDirectory(atPath: store.directory.url.path)
        #expect(names.filter { $0.contains("out.html") } == ["out.html"])
    }

    @Test(arguments: ["", "-wal", "-shm"])
    func `does not replace the store`(suffix: String) async throws {
        let store = try TimelineFixtures.makeStore()
        let link = store.directory.file("link.html")
        try FileManager.default.createSymbolicLink(
            at: link, withDestinationURL: URL(fileURLWithPath: store.url.path + suffix))
        for path in [store.url.path + suffix, link.path] {
            let result = await run([store.url.path, "-o", path])
            #expect(result.status == 2)
            #expect(result.errors.contains("is a file of the store"))
        }
        #expect(await run([store.url.path, "-o", "/dev/null"]).status == 0)
    }
}

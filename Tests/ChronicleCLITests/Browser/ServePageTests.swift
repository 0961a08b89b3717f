import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleCLI

extension BrowserTests {
    /// `chronicle serve` in a real browser, with other processes that write.
    @Suite struct ServePageTests {
        private func write(_ store: URL, _ author: String, _ count: Int) throws {
            _ = try ToolProcess(ToolProcess.worker, ["write", store.path, author, String(count)]).line(
                containing: "wrote")
        }

        @Test func `shows the transactions of other processes`() throws {
            let directory = try TemporaryDirectory()
            let store = directory.file("notes.store")
            try write(store, "app", 100)
            let server = try ServedStore(store)
            let browser = try Browser()
            try browser.open(server.url)
            try browser.wait(until: "document.getElementById('live').textContent === 'live'")
            #expect(try browser.run("return timeline.transactionCount", as: Int.self) == 100)
            // Selects a transaction in the middle, which must remain in place.
            try browser.press(.down)
            for _ in 0..<3 { try browser.press(.pageDown) }
            let place = """
                const list = document.getElementById('list'), row = document.querySelector('[aria-selected=true]');
                return row.getBoundingClientRect().top - list.getBoundingClientRect().top;
                """
            let top: Double = try browser.run(place)
            try write(store, "widget <b>", 3)
            try browser.wait(until: "timeline.transactionCount === 103")
            try browser.waitForDrawing()
            #expect(try browser.run("return timeline.changeCount", as: Int.self) == 206)
            #expect(abs(try browser.run(place) - top) < 1)
            // The first author of another name is in the menu.
            #expect(
                try browser.run(
                    "return [...document.getElementById('author').options].map((option) => option.textContent)")
                    == ["all", "app", "widget <b>"])
            // A program without Chronicle.
            _ = try Shell.sqlite3(store, "UPDATE Note SET text = 'other' WHERE number = 5")
            try browser.wait(until: "timeline.transactionCount === 104")
            // The next save groups the changes of the other program, which are not shown twice.
            try write(store, "app", 1)
            try browser.wait(until: "timeline.transactionCount === 105")
            try browser.press(.home)
            #expect(try browser.run("return document.querySelector('.row .author').textContent") == "app")
            #expect(try browser.console() == [])
            try browser.keepScreenshot("live")
        }

        @Test func `later transactions and tags extend the slider, the state and the lanes`() throws {
            let directory = try TemporaryDirectory()
            let store = directory.file("notes.store")
            try write(store, "app", 3)
            let server = try ServedStore(store)
            let browser = try Browser()
            try browser.open(server.url + "#e=Note")
            try browser.wait(until: "document.getElementById('live').textContent === 'live'")
            struct Shown: Decodable { let models: String, rows: Int, value: String, max: String, tags: [String] }
            let shown = """
                return { models: document.querySelector('.bar .secondary').textContent,
                  rows: document.querySelectorAll('.models tbody tr:not(.space)').length,
                  value: document.getElementById('slider').value, max: document.getElementById('slider').max,
                  tags: [...document.querySelectorAll('.tag')].map((tag) => tag.textContent) };
                """
            let before: Shown = try browser.run(shown)
            #expect(before.max == "2" && before.value == "2" && before.tags == [])
            let (status, _, errors) = try Shell.run(ToolProcess.chronicle, ["tag", store.path, "first"])
            #expect(status == 0, "\(errors)")
            try write(store, "app", 2)
            try browser.wait(until: "timeline.transactionCount === 5 && document.querySelector('.tag') !== null")
            let after: Shown = try browser.run(shown)
            // The newest point remains the newest one.
            #expect(after.max == "4" && after.value == "4" && after.tags == ["first"])
            #expect(after.rows > before.rows && after.models != before.models)
            // An earlier point remains.
            try browser.perform("document.getElementById('earlier').click()")
            try write(store, "app", 1)
            try browser.wait(until: "timeline.transactionCount === 6")
            let last: Shown = try browser.run(shown)
            #expect(last.max == "5" && last.value == "3")
            #expect(try browser.console() == [])
        }

        @Test func `connects again after a restart, and loads a page whose history is gone`() throws {
            let directory = try TemporaryDirectory()
            let store = directory.file("notes.store")
            try write(store, "app", 5)
            var server: ServedStore? = try ServedStore(store)
            let port = try #require(server).port
            let browser = try Browser()
            try browser.open(try #require(server).url)
            try browser.wait(until: "document.getElementById('live').textContent === 'live'")
            try browser.perform("window.isFirst = true")
            server?.process.kill(SIGKILL)
            try browser.wait(until: "document.getElementById('live').textContent.includes('trying again')")
            try write(store, "app", 2)
            server = try ServedStore(store, ["--port", String(port)])
            try browser.wait(until: "timeline.transactionCount === 7")
            #expect(try browser.run("return window.isFirst"))
            server?.process.kill(SIGKILL)
            // A store of the same name, whose history is another one.
            for suffix in ["", "-wal", "-shm", "-events"] {
                let file = URL(fileURLWithPath: store.path + suffix)
                if FileManager.default.fileExists(atPath: file.path) { try FileManager.default.removeItem(at: file) }
            }
            try write(store, "other", 3)
            server = try ServedStore(store, ["--port", String(port)])
            try browser.wait(until: "window.isFirst === undefined && timeline.transactionCount === 3")
            withExtendedLifetime(server) {}
        }
    }
}

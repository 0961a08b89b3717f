import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleCLI

extension BrowserTests {
    /// The state of models and entities at a point, the slider, titles, tags and days in a real browser.
    @Suite struct TimelineStateTests {
        /// A store whose trips change at random, and what they were after each transaction.
        private struct Expected {
            let store: TestStore
            /// The identifiers of the transactions.
            var ids: [Int64] = []
            /// The values of the existing trips by their names after each transaction.
            var states: [[String: [String]]] = []
        }

        private func makeStore(_ count: Int) throws -> Expected {
            var generator = TestSeed.generator(39)
            var expected = Expected(store: try TestStore(.file, preservesValues: true))
            let context = expected.store.context(author: "app")
            var trips: [Trip] = []
            for number in 0..<count {
                switch Int.random(in: 0..<5, using: &generator) {
                case 0 where !trips.isEmpty:
                    context.delete(trips.remove(at: Int.random(in: 0..<trips.count, using: &generator)))
                case 1...2 where !trips.isEmpty:
                    let trip = try #require(trips.randomElement(using: &generator))
                    trip.destination = "Place \(number)"
                    trip.note = Bool.random(using: &generator) ? nil : "Note \(number)"
                default:
                    let trip = Trip(name: "Trip \(number)", destination: "Home \(number)")
                    context.insert(trip)
                    trips.append(trip)
                }
                try context.save()
                if number == count / 2 { _ = try expected.store.context().tag("half <b>", replacing: false) }
                expected.states.append(
                    Dictionary(uniqueKeysWithValues: trips.map { ($0.name, [$0.destination, $0.note ?? "nil"]) }))
            }
            let history: [DefaultHistoryTransaction] = try expected.store.context().fetchHistory(HistoryDescriptor())
            expected.ids = history.map(\.transactionIdentifier)
            return expected
        }

        /// The rows of the table: the values after a change by their names.
        private static let table = """
            const heads = [...document.querySelectorAll('.models thead th')].map((cell) => cell.textContent);
            const rows = [...document.querySelectorAll('.models tbody tr:not(.space)')];
            const value = (row, name) => {
              const cell = row.children[heads.indexOf(name)];
              return (cell.querySelector('ins') ?? cell).textContent;
            };
            return Object.fromEntries(rows.map((row) =>
              [value(row, 'name'), [value(row, 'destination'), value(row, 'note')]]));
            """

        private func moveSlider(_ browser: Browser, to value: Int) throws {
            try browser.perform(
                """
                const slider = document.getElementById('slider');
                slider.value = \(value);
                slider.dispatchEvent(new Event('input'));
                """)
            try browser.waitForDrawing()
        }

        private func text(_ browser: Browser, _ selector: String) throws -> String {
            try browser.run("return document.querySelector('\(selector)').textContent")
        }

        @Test func `the table is the state after each transaction`() throws {
            let expected = try makeStore(60)
            let browser = try Browser()
            let url = try TimelineFixtures.makePage(of: expected.store).url
            try browser.open(url.absoluteString)
            // The newest transaction is selected.
            #expect(try text(browser, "#pointText").hasPrefix("#\(try #require(expected.ids.last))"))
            try browser.perform("document.getElementById('tab-table').click()")
            for (index, id) in expected.ids.enumerated() {
                try moveSlider(browser, to: index)
                #expect(try text(browser, "#pointText").hasPrefix("#\(id) "))
                let rows: [String: [String]] = try browser.run(Self.table)
                #expect(rows == expected.states[index], "#\(id), \(TestSeed.description)")
                let count = expected.states[index].count
                #expect(try text(browser, ".bar .secondary") == "\(count) model\(count == 1 ? "" : "s") after #\(id)")
            }
            // The arrow keys move the slider, which selects in the list.
            try browser.perform("document.getElementById('slider').focus()")
            try browser.press(.left)
            try browser.waitForDrawing()
            let selected = "return document.getElementById('list').getAttribute('aria-activedescendant')"
            #expect(try browser.run(selected) == "transaction-\(expected.ids[58])")
            let value: String = try browser.run(
                "return document.getElementById('slider').getAttribute('aria-valuetext')")
            #expect(value.hasPrefix("#\(expected.ids[58]) "))
            // The fragment restores the table at the point.
            try browser.wait(until: "location.hash === '#e=Trip&t=\(expected.ids[58])'")
            try browser.open("about:blank")
            try browser.open("\(url.absoluteString)#e=Trip&t=\(expected.ids[20])")
            #expect(try browser.run(Self.table) == expected.states[20])
            #expect(try browser.console() == [])
            try browser.keepScreenshot("table")
        }

        @Test func `values that the page does not contain are unknown`() throws {
            let store = try TestStore(.file, preservesValues: true)
            let context = store.context()
            let trip = Trip(name: "Iceland", destination: "Akureyri")
            context.insert(trip)
            try context.save()
            for place in ["Reykjavík", "Vík"] {
                trip.destination = place
                try context.save()
            }
            let browser = try Browser()
            let page = try TimelineFixtures.makePage(of: store) { $0.selection.limit = 2 }
            try browser.open(page.url.absoluteString)
            try browser.press(Browser.Key(rawValue: "3"))
            // The title is not known: the insert is not in the page.
            #expect(try browser.run(Self.table) == ["?": ["Vík", "?"]])
            #expect(try text(browser, ".note").contains("shown as ?"))
            try browser.press(Browser.Key(rawValue: "["))
            #expect(try browser.run(Self.table) == ["?": ["Reykjavík", "?"]])
            try browser.press(Browser.Key(rawValue: "2"))
            let details = try text(browser, "#details")
            #expect(details.contains("Akureyri → Reykjavík"))
            #expect(details.contains("The page does not contain the values shown as ?"))
            // Without the changes of other authors there is no state.
            let part = try TimelineFixtures.makePage(of: store, "part.html") { $0.selection.author = "" }
            try browser.open(part.url.absoluteString + "#e=Trip")
            #expect(try text(browser, "#details").contains("A state needs all of them"))
            #expect(try browser.run("return document.querySelectorAll('.models').length", as: Int.self) == 0)
            #expect(try browser.console() == [])
        }

        @Test func `shows the state of a model at the selected point`() throws {
            let expected = try makeStore(40)
            let browser = try Browser()
            try browser.open(try TimelineFixtures.makePage(of: expected.store).url.absoluteString + "#m=Trip%2F1")
            let state = """
                const rows = document.querySelectorAll('.state tr');
                return Object.fromEntries([...rows].map((row) => [row.firstChild.textContent,
                  (row.lastChild.querySelector('ins') ?? row.lastChild).textContent]));
                """
            try browser.press(.escape)
            for (index, id) in expected.ids.enumerated() {
                try moveSlider(browser, to: index)
                #expect(try text(browser, ".state h3") == "After #\(id)")
                let shown: [String: String] = try browser.run(state)
                let values = expected.states[index]["Trip 0"]
                #expect(shown["destination"] == values?[0] && shown["note"] == values?[1], "#\(id)")
                if values == nil { #expect(try text(browser, ".state").contains("Deleted by #")) }
            }
            // The heading has the title, also after the delete.
            #expect(try text(browser, ".state h2") == "Trip/1 · Trip 0")
            #expect(try browser.console() == [])
        }

        @Test func `a title is the first text attribute, or another one`() throws {
            let expected = try makeStore(20)
            let browser = try Browser()
            try browser.open(try TimelineFixtures.makePage(of: expected.store).url.absoluteString)
            try browser.press(.down, .end)
            #expect(try text(browser, "[aria-selected=true] .summary") == "+Trip/1 · Trip 0")
            #expect(try text(browser, "#details .link") == "Trip/1 · Trip 0")
            let page = try TimelineFixtures.makePage(of: expected.store, "other.html") {
                $0.titles = ["none", "destination"]
            }
            try browser.open(page.url.absoluteString)
            try browser.press(.down, .end)
            #expect(try text(browser, "[aria-selected=true] .summary") == "+Trip/1 · Home 0")
        }

        @Test func `tags are buttons on the lanes, and marks in the list`() throws {
            let expected = try makeStore(21)
            let browser = try Browser()
            try browser.open(try TimelineFixtures.makePage(of: expected.store).url.absoluteString)
            try browser.waitForDrawing()
            #expect(try text(browser, ".tag") == "half <b>")
            try browser.perform("document.querySelector('.tag').click()")
            let id = expected.ids[10]
            #expect(try text(browser, "#details h2") == "Transaction #\(id)")
            #expect(try text(browser, "#details").contains("Tagshalf <b>"))
            #expect(try text(browser, "[aria-selected=true] .mark") == "half <b>")
            try browser.press(.slash)
            try browser.type("half <")
            try browser.wait(until: "timeline.matchCount === 1")
            #expect(try browser.console() == [])
        }

        @Test func `groups the list by day`() throws {
            let directory = try TemporaryDirectory()
            let url = directory.file("days.html")
            // One transaction in ten minutes: 144 a day.
            try TimelineFixtures.writePage(to: url, transactionCount: 1_000)
            let browser = try Browser()
            try browser.open(url.absoluteString)
            struct Days: Decodable { let first: String, last: String, rows: [String] }
            let days = """
                const list = document.getElementById('list'), day = document.getElementById('day');
                const shown = () => [day.firstChild.textContent, day.lastChild.textContent].join(', ');
                const first = shown();
                list.scrollTop = list.scrollHeight;
                list.dispatchEvent(new Event('scroll'));
                // Each visible row is below the heading of its day, in the order of the list.
                const nodes = [...list.querySelectorAll('.row:not([hidden]), #spacer .day:not([hidden])')]
                  .sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top);
                return { first, last: shown(), rows: nodes.map((node) => node.className === 'day'
                  ? node.firstChild.textContent : node.children[1].textContent.slice(0, 10)) };
                """
            let found: Days = try browser.run(days)
            // 1,700,000,000 seconds and 1,000 times 600 seconds after 1970.
            #expect(found.first == "Tuesday, 21 November 2023, 126 transactions")
            #expect(found.last.contains("14 November 2023") || found.last.contains("15 November 2023"))
            var day = ""
            for row in found.rows {
                guard row.hasPrefix("2023") else {
                    day = String(row.split(separator: " ")[1])
                    continue
                }
                #expect(day == "" || row.hasSuffix(day))
            }
            #expect(found.rows.last == "2023-11-14")
            #expect(try browser.console() == [])
        }

        @Test func `resets the zoom, and lists the keys`() throws {
            let directory = try TemporaryDirectory()
            let url = directory.file("zoom.html")
            try TimelineFixtures.writePage(to: url, transactionCount: 100)
            let browser = try Browser()
            try browser.open(url.absoluteString)
            try browser.waitForDrawing()
            let label = "return document.getElementById('canvas').getAttribute('aria-label')"
            let whole: String = try browser.run(label)
            try browser.press(Browser.Key(rawValue: "+"), Browser.Key(rawValue: "+"))
            try browser.waitForDrawing()
            #expect(try browser.run(label, as: String.self) != whole)
            #expect(try text(browser, "#fit") == "Reset zoom")
            try browser.perform("document.getElementById('fit').click()")
            try browser.waitForDrawing()
            #expect(try browser.run(label) == whole)
            let isOpen = "return document.getElementById('keys').open"
            try browser.press(Browser.Key(rawValue: "?"))
            #expect(try browser.run(isOpen))
            #expect(try browser.run("return document.querySelectorAll('#keys kbd').length", as: Int.self) > 15)
            // The keys do nothing behind the list, and Esc closes it and keeps the filters.
            try browser.press(Browser.Key(rawValue: "3"))
            #expect(try browser.run("return document.querySelector('.models') === null"))
            try browser.press(.escape)
            #expect(!(try browser.run(isOpen)))
            try browser.perform("document.getElementById('help').click()")
            #expect(try browser.run(isOpen))
            #expect(try browser.console() == [])
        }
    }
}

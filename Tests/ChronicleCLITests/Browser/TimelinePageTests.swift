import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleCLI

extension BrowserTests {
    /// The page in a real browser.
    @Suite struct TimelinePageTests {
        /// What the page shows, as text.
        private static let state = """
            return {
              counts: document.getElementById('counts').textContent,
              rows: [...document.querySelectorAll('.row:not([hidden])')].map((row) => row.innerText.replaceAll('\\n', ' ')),
              details: document.getElementById('details').innerText,
              focus: document.activeElement.id,
              active: document.getElementById('list').getAttribute('aria-activedescendant'),
            };
            """

        private struct State: Decodable {
            let counts: String, rows: [String], details: String, focus: String, active: String?
        }

        private func state(_ browser: Browser) throws -> State { try browser.run(Self.state) }

        /// Chooses an option of a menu by its text, like a user.
        private func choose(_ browser: Browser, _ menu: String, _ text: String) throws {
            try browser.perform(
                """
                const menu = document.getElementById('\(menu)');
                menu.value = [...menu.options].find((option) => option.textContent.startsWith('\(text)')).value;
                menu.dispatchEvent(new Event('change'));
                """)
        }

        /// The numbers of transactions and changes that the store itself counts.
        private func counts(
            _ store: TestStore, _ matches: (DefaultHistoryTransaction, HistoryChange) -> Bool = { _, _ in true }
        ) throws -> (transactions: Int, changes: Int) {
            let history: [DefaultHistoryTransaction] = try store.context().fetchHistory(HistoryDescriptor())
            let found = history.map { transaction in transaction.changes.filter { matches(transaction, $0) }.count }
            return (found.filter { $0 > 0 }.count, found.reduce(0, +))
        }

        @Test func `shows the numbers of the file, also with filters`() throws {
            let store = try TimelineFixtures.makeStore()
            let (url, content) = try TimelineFixtures.makePage(of: store)
            let browser = try Browser()
            try browser.open(url.absoluteString)
            let all = try counts(store)
            #expect(content.transactionCount == all.transactions)
            #expect(content.changeCount == all.changes)
            #expect(try state(browser).counts == "\(all.transactions) transactions, \(all.changes) changes")
            #expect(try state(browser).rows.count == all.transactions)

            func expectCounts(_ part: (transactions: Int, changes: Int), _ comment: Comment) throws {
                let expected =
                    "\(part.transactions) of \(all.transactions) transactions, \(part.changes) of \(all.changes) changes"
                #expect(try state(browser).counts == expected, comment)
                #expect(part.transactions > 0 && part.transactions < all.transactions, comment)
            }
            try choose(browser, "author", "widget")
            try expectCounts(try counts(store) { transaction, _ in transaction.author == "widget" }, "author")
            try choose(browser, "author", "no author")
            try expectCounts(
                try counts(store) { transaction, _ in transaction.author == nil && !transaction.isExternal },
                "no author")
            try choose(browser, "author", "other program")
            try expectCounts(try counts(store) { transaction, _ in transaction.isExternal }, "other program")
            try choose(browser, "author", "all")
            try choose(browser, "entity", "BucketListItem")
            try expectCounts(
                try counts(store) { $1.changedPersistentIdentifier.entityName == "BucketListItem" }, "entity")
            try choose(browser, "kind", "insert")
            try expectCounts(
                try counts(store) { _, change in
                    guard case .insert = change else { return false }
                    return change.changedPersistentIdentifier.entityName == "BucketListItem"
                }, "entity and kind")
            try browser.press(.escape)
            #expect(try state(browser).counts == "\(all.transactions) transactions, \(all.changes) changes")
            #expect(try browser.console() == [])
            try browser.keepScreenshot("page")
        }

        @Test func `searches values, authors and numbers`() throws {
            let store = try TimelineFixtures.makeStore()
            let browser = try Browser()
            try browser.open(try TimelineFixtures.makePage(of: store).url.absoluteString)
            try browser.press(.slash)
            #expect(try state(browser).focus == "search")
            try browser.type("museum")
            // A model is found by its title, also where it does not change.
            try browser.wait(until: "timeline.matchCount === 2")
            #expect(try state(browser).rows.map { $0.contains("BucketListItem/1 · Museum") } == [true, true])
            // Enter applies the search, and moves to the list.
            try browser.press(.enter, .down)
            #expect(try state(browser).focus == "list")
            #expect(try state(browser).details.contains("Museum"))
            try browser.press(.escape, .slash)
            try browser.type("by another")
            try browser.wait(until: "timeline.matchCount === 1")
            #expect(try state(browser).rows.first?.contains("other program") == true)
            try browser.press(.escape, .slash)
            try browser.type("nothing like this")
            try browser.wait(until: "timeline.matchCount === 0")
            #expect(try state(browser).rows == [])
            #expect(try browser.console() == [])
        }

        @Test func `shows values before and after, and the life of a model`() throws {
            let store = try TimelineFixtures.makeStore()
            let browser = try Browser()
            try browser.open(try TimelineFixtures.makePage(of: store).url.absoluteString)
            // The newest transaction is selected.
            var details = try state(browser).details
            #expect(details.contains("not later than"), "the time of the ungrouped transaction is not known")
            #expect(details.contains("by another program"))
            // The text of 500 characters before the update is shortened.
            #expect(details.contains("… (500 characters)"))
            try browser.perform("document.querySelector('#details .link').focus()")
            try browser.press(.enter)
            details = try state(browser).details
            let life = try counts(store) { $1.changedPersistentIdentifier.description == "Trip/1" }
            #expect(details.contains("\(life.changes) changes"))
            #expect(try state(browser).counts.hasPrefix("\(life.transactions) of "))
            // The link was removed, but the focus remains in the details.
            #expect(try state(browser).focus == "details")
            #expect(details.contains("Trip 0"))
            try browser.press(.escape)
            #expect(try state(browser).focus == "list")
            #expect(
                try state(browser).counts.hasPrefix("\(life.transactions) of "), "Esc in the details keeps the filter")
            try browser.press(.escape)
            #expect(!(try state(browser).counts.contains(" of ")))
            // The fragment of the URL restores what was shown.
            try browser.wait(until: "location.hash !== ''")
            try browser.open(try #require(URL(string: "about:blank")).absoluteString)
            let url = store.directory.file("timeline.html").absoluteString
            try browser.open("\(url)#m=Trip%2F1")
            #expect(try state(browser).details.hasPrefix("Trip/1"))
            try browser.open("about:blank")
            try browser.open("\(url)#%E0%A4%A")
            #expect(try state(browser).details.hasPrefix("Transaction #"))
            #expect(try browser.console() == [])
        }

        @Test func `is used with the keyboard`() throws {
            let directory = try TemporaryDirectory()
            let url = directory.file("keys.html")
            try TimelineFixtures.writePage(to: url, transactionCount: 1_000)
            let browser = try Browser()
            try browser.open(url.absoluteString)
            func active() throws -> String? {
                let state = try state(browser)
                let exists: Bool = try browser.run(
                    """
                    const id = document.getElementById('list').getAttribute('aria-activedescendant');
                    return id === null || document.getElementById(id)?.getAttribute('aria-selected') === 'true';
                    """)
                #expect(exists, "the active descendant is the selected row")
                return state.active
            }
            #expect(try active() == "transaction-2000")
            try browser.press(.down, .up)
            #expect(try active() == "transaction-2000")
            try browser.press(.down, .down)
            #expect(try active() == "transaction-1996")
            try browser.press(.up)
            #expect(try active() == "transaction-1998")
            try browser.press(.end)
            #expect(try active() == "transaction-2")
            try browser.press(.home)
            #expect(try active() == "transaction-2000")
            try browser.press(.pageDown)
            let page = try active().flatMap { Int($0.dropFirst("transaction-".count)) }
            #expect(try #require(page) < 1_990)
            #expect(try state(browser).details.hasPrefix("Transaction #\(try #require(page))"))
            try browser.press(.enter)
            #expect(try state(browser).focus == "details")
            try browser.press(.escape)
            #expect(try state(browser).focus == "list")
            let label = "return document.getElementById('canvas').getAttribute('aria-label')"
            let whole: String = try browser.run(label)
            try browser.press(Browser.Key(rawValue: "+"))
            try browser.waitForDrawing()
            let zoomed: String = try browser.run(label)
            #expect(zoomed != whole)
            try browser.press(Browser.Key(rawValue: "l"))
            try browser.waitForDrawing()
            #expect(try browser.run(label, as: String.self).hasPrefix("Transactions by author"))
            try browser.press(Browser.Key(rawValue: "l"), Browser.Key(rawValue: "0"))
            try browser.waitForDrawing()
            #expect(try browser.run(label) == whole)
            #expect(try browser.console() == [])
        }

        @Test func `shows markup and control characters as text`() throws {
            let store = try TimelineFixtures.makeStore()
            let browser = try Browser()
            try browser.open(try TimelineFixtures.makePage(of: store).url.absoluteString)
            // Every transaction and the life of every model.
            let text: String = try browser.run(
                """
                const texts = [document.getElementById('details').innerText], list = document.getElementById('list');
                list.focus();
                for (let index = 1; index < timeline.transactionCount; index++) {
                  list.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowDown', bubbles: true }));
                  texts.push(document.getElementById('details').innerText);
                }
                for (const link of [...document.querySelectorAll('#details .link')]) link.click();
                document.getElementById('lane').click();
                return texts.join('\\n') + document.getElementById('author').innerText;
                """)
            #expect(text.contains(TimelineFixtures.hostile))
            #expect(text.contains("<i>reason</i>"))
            #expect(text.contains("main <b>"))
            #expect(text.contains(#"escape \u{1B}[31m, reversed \u{202E}abc, nul \u{0}"#))
            try expectNoMarkup(browser)
            #expect(try browser.console() == [])
        }

        @Test func `shows markup in names as text`() throws {
            let directory = try TemporaryDirectory()
            let url = directory.file("names.html")
            try TimelineFixtures.writePage(
                to: url, transactionCount: 3, entityName: TimelineFixtures.hostile,
                attributeName: TimelineFixtures.hostile,
                author: TimelineFixtures.hostile)
            let browser = try Browser()
            try browser.open(url.absoluteString)
            try browser.perform("document.querySelector('#details .link').click()")
            try browser.waitForDrawing()
            let shown = try state(browser)
            #expect(shown.details.hasPrefix("\(TimelineFixtures.hostile)/3"))
            #expect(shown.rows.first?.contains(TimelineFixtures.hostile) == true)
            try expectNoMarkup(browser)
            #expect(try browser.console() == [])
        }

        private func expectNoMarkup(_ browser: Browser) throws {
            #expect(try browser.run("return window.hacked === undefined"))
            // The data, the script of the page, and no element of a value.
            #expect(try browser.run("return document.querySelectorAll('script').length", as: Int.self) == 2)
            #expect(try browser.run("return document.querySelectorAll('img, iframe, b, i').length", as: Int.self) == 0)
            // An injected script would not have the nonce.
            try browser.perform(
                """
                const script = document.createElement('script');
                script.textContent = 'window.hacked = 3';
                window.violation = null;
                document.addEventListener('securitypolicyviolation', (event) => { window.violation = event.violatedDirective; });
                document.body.append(script);
                script.remove();
                """)
            try browser.wait(until: "window.violation !== null")
            #expect(try browser.run("return window.hacked === undefined"))
            #expect(try browser.console().allSatisfy { $0.contains("Content Security Policy") })
        }

        @Test func `opens and scrolls 100,000 transactions`() throws {
            let directory = try TemporaryDirectory()
            let url = directory.file("large.html")
            try TimelineFixtures.writePage(to: url, transactionCount: 100_000)
            let size = try #require(try FileManager.default.attributesOfItem(atPath: url.path)[.size] as? Int)
            #expect(size <= 20_000_000)
            let browser = try Browser()
            try browser.open(url.absoluteString)
            #expect(try state(browser).counts == "100,000 transactions, 100,000 changes")
            struct Times: Decodable { let ready: Double, paint: Double }
            let times: Times = try browser.run(
                """
                const paint = performance.getEntriesByType('paint').find((entry) => entry.name === 'first-contentful-paint');
                return { ready: timeline.readyAfter, paint: paint ? paint.startTime : -1 };
                """)
            print(
                "100,000 transactions, \(size) bytes: ready after \(times.ready) ms, first paint after \(times.paint) ms"
            )
            struct Scroll: Decodable { let elements: Int, texts: [String], height: Double }
            let scroll: Scroll = try browser.run(
                """
                const list = document.getElementById('list'), texts = [];
                let elements = 0;
                for (const part of [0, 0.25, 0.5, 0.75, 1]) {
                  list.scrollTop = (list.scrollHeight - list.clientHeight) * part;
                  list.dispatchEvent(new Event('scroll'));
                  elements = Math.max(elements, document.querySelectorAll('.row').length);
                  const box = list.getBoundingClientRect();
                  const row = document.elementFromPoint(box.left + 20, part < 1 ? box.top + 33 : box.bottom - 5).closest('.row');
                  texts.push(row.firstChild.textContent);
                }
                return { elements, texts, height: list.scrollHeight };
                """)
            #expect(scroll.elements < 100)
            #expect(scroll.texts.first == "#200000")
            #expect(scroll.texts.last == "#2")
            let numbers = scroll.texts.compactMap { Int($0.dropFirst()) }
            for (number, expected) in zip(numbers, [200_000, 150_000, 100_000, 50_000, 2]) {
                #expect(abs(number - expected) < 100)
            }
            try browser.press(.slash)
            try browser.type("oslo 77777")
            try browser.wait(until: "timeline.matchCount === 1")
            #expect(try browser.console() == [])
            try browser.keepScreenshot("large")
        }
    }
}

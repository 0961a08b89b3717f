import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleCLI

extension BrowserTests {
    /// Themes, small screens, and the accessibility of the page in a real browser.
    @Suite struct TimelineAccessibilityTests {
        private func openPage(_ browser: Browser) throws {
            let store = try TimelineFixtures.makeStore()
            try browser.open(try TimelineFixtures.makePage(of: store) { $0.note = "A part." }.url.absoluteString)
            try browser.press(.down, .down, .down)
        }

        /// Finds texts whose contrast with their background is less than 4.5 : 1.
        /// https://www.w3.org/TR/WCAG22/#contrast-minimum
        private static let lowContrast = """
            const parse = (color) => color.match(/[\\d.]+/g).map(Number);
            const luminance = (color) => {
              const [r, g, b] = parse(color).map((value) => value / 255)
                .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
              return 0.2126 * r + 0.7152 * g + 0.0722 * b;
            };
            const background = (element) => {
              for (let node = element; node; node = node.parentElement) {
                const color = getComputedStyle(node).backgroundColor;
                if (parse(color).length < 4 || parse(color)[3] > 0) return color;
              }
              return 'rgb(255, 255, 255)';
            };
            const ratio = (a, b) => {
              const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
              return (high + 0.05) / (low + 0.05);
            };
            const found = [];
            let checked = 0;
            const check = (name, color, behind) => {
              checked++;
              const value = ratio(color, behind);
              if (value < 4.5) found.push(name + ' ' + value.toFixed(2) + ' ' + color + ' ' + behind);
            };
            for (const element of document.body.querySelectorAll('*')) {
              const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
              if (!hasText || !element.checkVisibility() || element.closest('script, noscript')) continue;
              check(element.className + ' ' + element.textContent.slice(0, 20), getComputedStyle(element).color,
                background(element));
            }
            const search = document.getElementById('search');
            check('placeholder', getComputedStyle(search, '::placeholder').color, background(search));
            return { found, checked };
            """

        private struct Contrast: Decodable { let found: [String], checked: Int }

        @Test(arguments: ["light", "dark"])
        func `follows the theme of the system with enough contrast`(theme: String) throws {
            let browser = try Browser()
            try browser.emulateTheme(theme)
            try openPage(browser)
            let contrast: Contrast = try browser.run(Self.lowContrast)
            #expect(contrast.found == [])
            #expect(contrast.checked > 50)
            for tab in ["tab-model", "tab-table", "help"] {
                try browser.perform("document.getElementById('\(tab)').click()")
                let other: Contrast = try browser.run(Self.lowContrast)
                #expect(other.found == [], "\(tab)")
            }
            try browser.press(.escape)
            let background = "return getComputedStyle(document.body).backgroundColor"
            let first: String = try browser.run(background)
            #expect(first == (theme == "light" ? "rgb(255, 255, 255)" : "rgb(22, 24, 28)"))
            #expect(
                try browser.run("return document.getElementById('theme').textContent")
                    == (theme == "light" ? "Dark" : "Light"))
            try browser.keepScreenshot(theme)
            // The button overrides the system.
            try browser.press(Browser.Key(rawValue: "t"))
            #expect(try browser.run(background) != first)
            let switched: Contrast = try browser.run(Self.lowContrast)
            #expect(switched.found == [])
            #expect(try browser.console() == [])
        }

        @Test func `fits on a phone`() throws {
            let browser = try Browser()
            try browser.emulatePhone(width: 360, height: 740)
            try openPage(browser)
            try browser.waitForDrawing()
            struct Layout: Decodable {
                let width: Double, scrollWidth: Double, wide: [String], list: Double, details: Double
            }
            let layout: Layout = try browser.run(
                """
                const wide = [...document.querySelectorAll('body *')].filter((element) => element.checkVisibility()
                  && !element.closest('.summary > *, .models, #tags > *') && element.getBoundingClientRect().right > innerWidth + 0.5).map((element) => element.id + element.className);
                const height = (id) => document.getElementById(id).getBoundingClientRect().height;
                return { width: innerWidth, scrollWidth: document.documentElement.scrollWidth, wide,
                  list: height('list'), details: height('details') };
                """)
            #expect(layout.width == 360)
            #expect(layout.scrollWidth == 360)
            #expect(layout.wide == [])
            // The filters are folded until they are opened.
            let visible = "return document.getElementById('author').checkVisibility()"
            #expect(!(try browser.run(visible)))
            try browser.perform("document.getElementById('fold').click()")
            #expect(try browser.run(visible))
            #expect(try browser.run("return document.getElementById('fold').getAttribute('aria-expanded')") == "true")
            try browser.perform("document.getElementById('fold').click()")
            #expect(!(try browser.run(visible)))
            try browser.waitForDrawing()
            let heights: [Double] = try browser.run(
                "return ['list', 'details'].map((id) => document.getElementById(id).getBoundingClientRect().height)")
            #expect(heights.allSatisfy { $0 > 100 })
            #expect(try browser.console() == [])
            try browser.keepScreenshot("phone")
        }

        @Test func `names its controls and has a useful focus order`() throws {
            let browser = try Browser()
            try openPage(browser)
            struct Tree: Decodable {
                struct Node: Decodable {
                    struct Value: Decodable {
                        let value: String?
                        private enum CodingKeys: CodingKey { case value }
                        init(from decoder: any Decoder) throws {
                            let container = try decoder.container(keyedBy: CodingKeys.self)
                            // Other values are numbers and Booleans.
                            value = try? container.decode(String.self, forKey: .value)
                        }
                    }
                    let ignored: Bool, role: Value?, name: Value?
                }
                let nodes: [Node]
            }
            let tree: Tree = try browser.devTools("Accessibility.getFullAXTree")
            let nodes = tree.nodes.filter { !$0.ignored }
            let controls: Set = ["button", "searchbox", "combobox", "listbox", "option", "checkbox", "textbox", "link"]
            let named = nodes.filter { controls.contains($0.role?.value ?? "") }
            #expect(named.count > 15)
            let unnamed = named.filter { ($0.name?.value ?? "").isEmpty }
            #expect(unnamed.isEmpty)
            let roles = Set(nodes.compactMap { $0.role?.value })
            #expect(
                roles.isSuperset(of: [
                    "banner", "search", "main", "listbox", "option", "heading", "table", "status", "tab", "tabpanel",
                    "slider",
                ]))
            try browser.perform("document.getElementById('search').focus()")
            var order: [String] = []
            for _ in 0..<15 {
                order.append(try browser.run("return document.activeElement.id || document.activeElement.className"))
                try browser.press(.tab)
            }
            #expect(
                order == [
                    "search", "author", "entity", "kind", "lane", "fit", "theme", "help", "canvas", "list",
                    "tab-transaction", "earlier", "slider", "later", "link",
                ])
        }
    }
}

import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleCLI

extension BrowserTests {
    /// The changes of a model together with those of its parts in a real browser.
    @Suite struct TimelinePartsTests {
        /// A change in the list of a model.
        private struct Line: Decodable, Equatable {
            let transaction: String, kind: String, model: String, paths: [String]
        }

        private static let lines = """
            return [...document.querySelectorAll('#details .change')].map((block) => {
              const links = block.querySelectorAll('h3 .link'), paths = block.querySelector('h3 .path');
              const root = decodeURIComponent(location.hash.match(/m=([^&]*)/)[1]);
              return {
                transaction: block.dataset.id, kind: block.querySelector('h3 .sign').className.replace('sign ', ''),
                model: links.length > 1 ? links[1].textContent.split(' · ')[0] : root,
                paths: paths ? paths.textContent.slice(2, -1).split(', ').sort() : [],
              };
            });
            """

        private static let boxes = """
            return [...document.querySelectorAll('.parts input')]
              .map((box) => (box.checked ? '+' : '-') + box.parentNode.textContent);
            """

        /// Paths whose sources are among them.
        private static let paths = [
            "Trip": ["bucketList", "livingAccommodation"],
            "LinkItem": ["tags", "photos", "friends", "teachers", "teachers.tags", "idols", "idols.photos"],
            "LinkTag": ["items", "items.photos", "items.friends"],
            "VehicleOwner": ["cars", "cars.parts", "cars.languages"],
            "Taxi": ["parts", "languages", "owner"],
        ]

        private static let types: [any PersistentModel.Type] =
            [Trip.self, BucketListItem.self, LivingAccommodation.self, LinkItem.self, LinkTag.self, LinkPhoto.self]
            + vehicleModels

        /// Inserts, connects, changes and deletes models at random.
        private func write(_ store: TestStore, _ count: Int) throws {
            var generator = TestSeed.generator(49)
            let context = store.context(author: "app")
            func any<Model: PersistentModel>(_ type: Model.Type) throws -> Model? {
                try context.fetch(FetchDescriptor<Model>(sortBy: [SortDescriptor(\.persistentModelID)]))
                    .randomElement(using: &generator)
            }
            func change(_ number: Int) throws {
                switch Int.random(in: 0..<15, using: &generator) {
                case 0: context.insert(Trip(name: "Trip \(number)", destination: "Rome"))
                case 1: context.insert(BucketListItem(title: "Item \(number)"))
                case 2: try any(BucketListItem.self)?.trip = try any(Trip.self)
                case 3: try any(BucketListItem.self)?.trip = nil
                case 4: try any(Trip.self)?.livingAccommodation = LivingAccommodation(placeName: "Place \(number)")
                case 5: try any(LivingAccommodation.self)?.isConfirmed.toggle()
                case 6: context.insert(LinkItem("Item \(number)", tags: [LinkTag("Tag \(number)")]))
                case 7:
                    guard let item = try any(LinkItem.self), let other = try any(LinkItem.self) else { break }
                    item.photos.append(LinkPhoto("Photo \(number)"))
                    if item !== other { item.friends.append(other) }
                    other.idols.append(item)
                    item.teachers = [other]
                case 8: try any(LinkTag.self)?.items = [any(LinkItem.self), any(LinkItem.self)].compactMap { $0 }
                case 9: try any(LinkItem.self)?.friends = []
                case 10:
                    let taxi = Taxi("Taxi \(number)")
                    context.insert(taxi)
                    taxi.owner = try any(VehicleOwner.self) ?? VehicleOwner("Owner \(number)")
                    taxi.parts = [VehiclePart("Part \(number)")]
                    taxi.languages = [VehicleLabel("Language \(number)")]
                case 11: try any(VehiclePart.self)?.vehicle = try any(Taxi.self)
                case 12: try any(Car.self)?.owner = try any(VehicleOwner.self)
                case 13: try any(LinkTag.self)?.weight += 1
                default:
                    let types = Self.types.filter { $0 != LinkItem.self || number.isMultiple(of: 3) }
                    guard let type = types.randomElement(using: &generator) else { break }
                    func delete<Model: PersistentModel>(_ type: Model.Type) throws {
                        if let model = try any(type) { context.delete(model) }
                    }
                    try delete(type)
                }
            }
            for number in 0..<count {
                for _ in 0..<Int.random(in: 1...3, using: &generator) { try change(number) }
                try context.save()
            }
        }

        @Test func `lists the changes that belonged to a model`() throws {
            let store = try TestStore(.file, Self.types, preservesValues: true)
            try write(store, 150)
            let context = store.context()
            let history: [DefaultHistoryTransaction] = try context.fetchHistory(HistoryDescriptor())
            let models = Set(history.flatMap(\.changes).map(\.changedPersistentIdentifier)).sorted()
            let browser = try Browser()
            let url = try TimelineFixtures.makePage(of: store).url.absoluteString
            var partCount = 0
            for (entity, paths) in Self.paths.sorted(by: { $0.key < $1.key }) {
                let roots = models.filter { $0.entityName == entity }.prefix(6)
                #expect(!roots.isEmpty, "\(entity)")
                for root in roots {
                    let expected = try context.history(of: root, including: paths).map { entry in
                        let kind =
                            switch entry.change {
                            case .insert: "insert"
                            case .update: "update"
                            case .delete: "delete"
                            }
                        return Line(
                            transaction: "\(entry.transaction.transactionIdentifier)", kind: kind,
                            model: entry.change.changedPersistentIdentifier.description, paths: entry.paths.sorted())
                    }
                    try browser.open("about:blank")
                    let name = root.description.replacing("/", with: "%2F")
                    try browser.open("\(url)#m=\(name)&with=\(paths.joined(separator: "%2C"))")
                    let shown: [Line] = try browser.run(Self.lines)
                    #expect(shown == expected, "\(root), \(TestSeed.description)")
                    let transactions = Set(expected.map(\.transaction))
                    #expect(try browser.run("return timeline.matchCount") == transactions.count)
                    partCount += expected.count { $0.model != root.description }
                }
            }
            #expect(partCount > 100, "\(TestSeed.description)")
            #expect(try browser.console() == [])
        }

        @Test func `is switched with the keyboard`() throws {
            let store = try TestStore(.file, Self.types, preservesValues: true)
            let context = store.context(author: "app")
            let trip = Trip(name: "Oslo <b>", destination: "Oslo")
            context.insert(trip)
            try context.save()
            let item = BucketListItem(title: "Museum")
            context.insert(item)
            item.trip = trip
            try context.save()
            item.isDone = true
            try context.save()
            item.trip = nil
            try context.save()
            item.title = "Elsewhere"
            try context.save()
            let browser = try Browser()
            let url = try TimelineFixtures.makePage(of: store).url.absoluteString
            try browser.open("\(url)#m=Trip%2F1")
            #expect(try browser.run(Self.boxes) == ["-bucketList", "-livingAccommodation"])
            #expect(try browser.run(Self.lines, as: [Line].self).map(\.model) == ["Trip/1"])
            #expect(try browser.run("return timeline.matchCount") == 1)
            // All lists.
            try browser.press(Browser.Key(rawValue: "p"))
            #expect(try browser.run(Self.boxes) == ["+bucketList", "-livingAccommodation"])
            let lines: [Line] = try browser.run(Self.lines)
            #expect(lines.map(\.kind) == ["insert", "insert", "update", "update"])
            #expect(lines.map(\.paths) == [[]] + Array(repeating: ["bucketList"], count: 3))
            #expect(try browser.run("return timeline.matchCount") == 4)
            let row = "return document.querySelector('.row .summary').textContent"
            #expect(try browser.run(row, as: String.self).hasPrefix("~BucketListItem/1 · Museum"))
            #expect(try browser.run("return document.querySelector('.parts + p').textContent", as: String.self) != "")
            try browser.wait(until: "location.hash.startsWith('#m=Trip%2F1&with=bucketList&t=')")
            #expect(try browser.run("return document.querySelectorAll('.change b').length") == 0)
            try browser.keepScreenshot("parts")
            // A box keeps the focus.
            try browser.perform("document.querySelector('.parts input').focus()")
            try browser.press(Browser.Key(rawValue: " "))
            #expect(try browser.run(Self.boxes) == ["-bucketList", "-livingAccommodation"])
            try browser.press(.tab, Browser.Key(rawValue: " "))
            #expect(try browser.run(Self.boxes) == ["-bucketList", "+livingAccommodation"])
            #expect(
                try browser.run("return document.activeElement.dataset.path", as: String.self) == "livingAccommodation")
            // The choice is that of the entity.
            try browser.press(Browser.Key(rawValue: "p"))
            try browser.press(Browser.Key(rawValue: "p"))
            try browser.perform("document.querySelectorAll('.change h3 .link')[2].click()")
            #expect(
                try browser.run("return document.querySelector('.state h2').textContent")
                    == "BucketListItem/1 · Elsewhere")
            #expect(try browser.run(Self.boxes) == ["-trip"])
            #expect(try browser.run(Self.lines, as: [Line].self).count == 4)
            #expect(try browser.console() == [])
        }

        @Test func `a page of one author shows no parts`() throws {
            let store = try TimelineFixtures.makeStore()
            let browser = try Browser()
            let page = try TimelineFixtures.makePage(of: store) { $0.selection.author = "app" }
            try browser.open("\(page.url.absoluteString)#m=Trip%2F1&with=bucketList")
            #expect(try browser.run(Self.boxes) == [String]())
            try browser.press(Browser.Key(rawValue: "p"))
            #expect(try browser.run("return timeline.matchCount") == 1)
            #expect(try browser.console() == [])
        }
    }
}

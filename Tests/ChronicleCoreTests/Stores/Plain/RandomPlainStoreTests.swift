import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// Random changes of lists by two contexts, in a store with only the declarations of SwiftData and in the default store.
/// After each save, both contain the same.
@Suite struct RandomPlainStoreTests {
    @Test(arguments: TestSeed.rounds(3)) func bothStoresContainTheSame(_ number: Int) throws {
        let memory = PlainStore.Memory()
        let plain = try ModelContainer(for: LinkItem.self, configurations: PlainStore.Configuration(memory))
        let reference = try ModelContainer(
            for: LinkItem.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        var (a, b) = (Run(plain, number), Run(reference, number))
        for step in 0..<150 {
            let (first, second) = (try a.step(), try b.step())
            #expect(first == second)
            if first == "save" || first == "delete" {
                let (found, expected) = (try a.content(), try b.content())
                #expect(found == expected, "\(TestSeed.description), case \(number), step \(step)")
                if found != expected { return }
            }
        }
    }

    /// The same choices for each store.
    private struct Run {
        let container: ModelContainer
        var contexts: [ModelContext]
        var random: SplitMix
        var count = 0

        init(_ container: ModelContainer, _ number: Int) {
            self.container = container
            contexts = [ModelContext(container), ModelContext(container)]
            random = TestSeed.generator(number)
        }

        mutating func step() throws -> String {
            let context = contexts[random.below(2)]
            let items = try context.items()
            let kind = random.below(10)
            switch kind {
            case 0:
                count += 1
                context.insert(LinkItem("item \(count)"))
                return "insert"
            case 1:
                count += 1
                if random.below(2) == 0 {
                    context.insert(LinkTag("tag \(count)"))
                } else {
                    context.insert(LinkPhoto("photo \(count)"))
                }
                return "insert"
            case 2...6 where !items.isEmpty:
                let item = random.pick(items)
                try change(item, context, to: random.pick(items))
                return "change \(item.name)"
            case 7: return try delete()
            default:
                try context.save()
                return "save"
            }
        }

        private mutating func change(_ item: LinkItem, _ context: ModelContext, to other: LinkItem) throws {
            let (tags, photos) = (try context.linkTags(), try context.photos())
            switch random.below(8) {
            case 0 where !tags.isEmpty: item.tags.append(random.pick(tags))
            case 1 where !item.tags.isEmpty:
                let name = random.pick(item.tags.map(\.name).sorted())
                item.tags.removeAll { $0.name == name }
            case 2 where !tags.isEmpty:
                let tag = random.pick(tags)
                if tag.items.contains(item) { tag.items.removeAll { $0 === item } } else { tag.items.append(item) }
            case 3 where !photos.isEmpty: item.covers.insert(random.pick(photos))
            case 4 where !photos.isEmpty:
                let kept = random.pick(photos)
                item.covers = item.covers.filter { $0 === kept }
            case 5:
                if item.friends.contains(other) {
                    item.friends.removeAll { $0 === other }
                } else {
                    item.friends.append(other)
                }
            case 6: item.idols = item.idols.contains(other) ? [] : [other]
            default:
                if item.students.contains(other) { item.students = [] } else { other.teachers.append(item) }
            }
        }

        /// Deletes a model after both contexts saved, because the stores resolve conflicts differently.
        private mutating func delete() throws -> String {
            for context in contexts { try context.save() }
            let context = ModelContext(container)
            let models: [any PersistentModel] = try context.items() + context.linkTags() + context.photos()
            guard !models.isEmpty else { return "none" }
            let model = random.pick(models)
            context.delete(model)
            try context.save()
            contexts = [ModelContext(container), ModelContext(container)]
            return "delete"
        }

        func content() throws -> [String] {
            let context = ModelContext(container)
            let items = try context.items().map { item in
                "\(item.name): tags \(names(item.tags.map(\.name))), covers \(names(item.covers.map(\.name))), "
                    + "friends \(names(item.friends.map(\.name))), idols \(names(item.idols.map(\.name))), "
                    + "teachers \(names(item.teachers.map(\.name))), students \(names(item.students.map(\.name)))"
            }
            return try items + context.linkTags().map { "\($0.name): \(names($0.items.map(\.name)))" }
                + context.photos().map(\.name)
        }

        private func names(_ names: [String]) -> String { names.sorted().joined(separator: "+") }
    }
}

#if Seals
    import Chronicle
    import ChronicleTestSupport

    /// A class whose property is renamed by each version.
    protocol RandomSealItem: PersistentModel {
        init()
        var text: String { get set }
        var note: String? { get set }
    }

    enum RandomSealItems {
        enum First {
            @Model final class Item: RandomSealItem {
                var title = ""
                var note: String?
                var text: String {
                    get { title }
                    set { title = newValue }
                }
                init() {}
            }
        }
        enum Second {
            @Model final class Item: RandomSealItem {
                @Attribute(originalName: "title") var name = ""
                var note: String?
                var text: String {
                    get { name }
                    set { name = newValue }
                }
                init() {}
            }
        }
        enum Third {
            @Model final class Item: RandomSealItem {
                @Attribute(originalName: "name") var label = ""
                var note: String?
                var text: String {
                    get { label }
                    set { label = newValue }
                }
                init() {}
            }
        }
    }

    /// What a program with a version of the class does.
    struct RandomSealVersion: Sendable {
        let schema: @Sendable () -> Schema
        let change: @Sendable (ModelContext, inout SplitMix) throws -> Void

        private init<Item: RandomSealItem>(_ type: Item.Type) {
            schema = { Schema([Item.self]) }
            change = { context, random in
                let items = try context.fetch(FetchDescriptor<Item>())
                for _ in 0..<random.below(3) + 1 {
                    guard random.below(3) > 0, !items.isEmpty else {
                        let item = Item()
                        item.text = "text \(random.below(100))"
                        item.note = random.below(2) == 0 ? nil : "note \(random.below(100))"
                        context.insert(item)
                        continue
                    }
                    let item = random.pick(items)
                    if random.below(5) == 0 {
                        context.delete(item)
                    } else if !item.isDeleted {
                        item.text = "text \(random.below(100))"
                        item.note = "note \(random.below(100))"
                    }
                }
            }
        }

        static let all = [
            RandomSealVersion(RandomSealItems.First.Item.self), RandomSealVersion(RandomSealItems.Second.Item.self),
            RandomSealVersion(RandomSealItems.Third.Item.self),
        ]
    }
#endif

import Chronicle
import ChronicleTestSupport
import Foundation

/// Random transactions of several writers with the classes of one version of a schema.
struct RandomPoems<Poem: AnyPoem> {
    let contexts: [ModelContext]
    private let file: URL
    private var number: Int

    init(_ container: ModelContainer, _ file: URL, firstNumber: Int) {
        contexts = ["ann", "bob"].map { author in
            let context = ModelContext(container)
            context.author = author
            return context
        }
        (self.file, number) = (file, firstNumber)
    }

    /// Commits a transaction, or changes of another program that have no header.
    mutating func step(_ random: inout SplitMix) throws {
        let context = random.pick(contexts)
        // The other writers changed models of this context.
        try context.refreshAllModels()
        switch random.below(12) {
        case 0..<7:
            for _ in 0...random.below(4) { try change(context, &random) }
            try context.save()
        case 7: try Poem.updateAll(lines: random.below(4), to: random.below(4), in: context)
        case 8: if random.below(3) == 0 { try Poem.deleteAll(lines: random.below(4), in: context) }
        default: try writeForeign(&random)
        }
    }

    private mutating func change(_ context: ModelContext, _ random: inout SplitMix) throws {
        let poems = try context.fetch(FetchDescriptor<Poem>())
        let poets = try context.fetch(FetchDescriptor<Poem.Author>())
        let themes = try context.fetch(FetchDescriptor<Poem.Subject>())
        number += 1
        let kind = random.below(18)
        if poets.count < 2 || kind == 0 {
            context.insert(Poem.Author(name: "p\(number)"))
        } else if themes.count < 3 || kind == 1 {
            context.insert(Poem.Subject(name: "o\(number)"))
        } else if poems.count < 3 || kind < 5 {
            // A repeated code updates the existing row.
            let poem = Poem(code: "c\(random.below(20))", title: "t\(number)")
            context.insert(poem)
            poem.poet = random.below(4) == 0 ? nil : random.pick(poets)
            poem.themes = themes.filter { _ in random.below(3) == 0 }
            poem.echoes = themes.filter { _ in random.below(4) == 0 }
            poem.sequels = (poems + [poem]).filter { _ in random.below(4) == 0 }
        } else {
            let poem = random.pick(poems)
            switch kind {
            case 5: poem.text = "t\(number)"
            case 6: poem.lines = random.below(4)
            case 7, 8: poem.changeOther(number)
            case 9: poem.poet = random.below(3) == 0 ? nil : random.pick(poets)
            case 10, 11: poem.themes = themes.filter { _ in random.below(2) == 0 }
            case 12: random.pick(poets).name = "p\(number)"
            case 13: context.delete(poem)
            case 14: if random.below(2) == 0 { context.delete(random.pick(poets)) }
            case 15: poem.echoes = themes.filter { _ in random.below(3) == 0 }
            case 16: poem.sequels = poems.filter { _ in random.below(3) == 0 }
            default:
                if random.below(3) == 0 { context.delete(random.pick(themes)) }
                Poem.insertOther(number, of: poem, into: context)
            }
        }
    }

    private mutating func writeForeign(_ random: inout SplitMix) throws {
        number += 1
        let title = Poem.titleName
        try ForeignProgram(file)
            .write(
                random.pick([
                    "UPDATE Poem SET \(title) = 'f\(number)' WHERE id % 3 = \(random.below(3))",
                    "UPDATE Poem SET poet = (SELECT max(id) FROM Poet) WHERE id % 4 = 1",
                    "UPDATE Poet SET name = 'f\(number)' WHERE id = (SELECT max(id) FROM Poet)",
                    "DELETE FROM Theme WHERE id = (SELECT min(id) FROM Theme) AND id % 2 = 0",
                    "DELETE FROM Poem WHERE id = (SELECT max(id) FROM Poem) AND id % 3 = 0",
                    "DELETE FROM Poet WHERE id = (SELECT min(id) FROM Poet) AND id % 3 = 1",
                    "INSERT OR REPLACE INTO Poem(code, \(title)) VALUES ('c\(random.below(20))', 'f\(number)')",
                    "INSERT OR IGNORE INTO \"Poem.themes\" SELECT min(Poem.id), max(Theme.id) FROM Poem, Theme "
                        + "HAVING count(*) > 0",
                    "DELETE FROM \"Poem.themes\" WHERE owner = (SELECT max(owner) FROM \"Poem.themes\")",
                    "INSERT OR IGNORE INTO \"Poem.echoes\" SELECT Poem.id, Theme.id FROM Poem, Theme "
                        + "WHERE (Poem.id + Theme.id) % 5 = \(random.below(5))",
                    "INSERT OR IGNORE INTO \"Poem.sequels\" SELECT id, id FROM Poem WHERE id % 3 = \(random.below(3))",
                    "UPDATE OR REPLACE Poem SET code = (SELECT code FROM Poem ORDER BY id LIMIT 1) "
                        + "WHERE id = (SELECT max(id) FROM Poem)",
                ]), &random)
    }
}

extension StoreContent {
    /// The content that a context reads with the classes of a version.
    init<Poem: AnyPoem>(_ context: ModelContext, _: Poem.Type) throws {
        for poem in try context.fetch(FetchDescriptor<Poem>()) {
            let values: [String: Any?] = [
                "code": poem.code, Poem.titleName: poem.text, "lines": poem.lines,
                "poet": poem.poet?.persistentModelID,
            ]
            add(
                poem, values.merging(poem.otherValues) { first, _ in first },
                [
                    "themes": poem.themes.identifiers, "echoes": poem.echoes.identifiers,
                    "sequels": poem.sequels.identifiers,
                ])
        }
        for poet in try context.fetch(FetchDescriptor<Poem.Author>()) { add(poet, ["name": poet.name]) }
        for theme in try context.fetch(FetchDescriptor<Poem.Subject>()) {
            add(theme, ["name": theme.name], ["poems": theme.poems.identifiers])
        }
        for (model, values) in try Poem.others(in: context) { add(model, values) }
    }

    /// The content as the classes of a later version describe it. Attributes that the version removes remain.
    func migrated(to version: any AnyPoem.Type) -> StoreContent {
        var content = self
        for (identifier, model) in models where identifier.entityName == "Poem" {
            var values = model.values.merging(version.addedDefaults) { known, _ in known }
            if let title = values.removeValue(forKey: "title") { values[version.titleName] = title }
            content.models[identifier]?.values = values
        }
        return content
    }

    /// The content with the values of removed attributes, whose columns remain: those of the earlier content, and `nil`
    /// for new rows.
    func addingRemovedValues(of earlier: StoreContent, _ names: [String]) -> StoreContent {
        var content = self
        for (identifier, model) in models where identifier.entityName == "Poem" {
            for name in names where model.values[name] == nil {
                content.models[identifier]?.values[name] = earlier.models[identifier]?.values[name] ?? "nil"
            }
        }
        return content
    }

    /// The content without some attributes.
    func removing(_ names: [String]) -> StoreContent {
        var content = self
        for identifier in models.keys {
            for name in names { content.models[identifier]?.values[name] = nil }
        }
        return content
    }

    /// The content after the changes between two other contents are taken back.
    func reverting(from before: StoreContent, to after: StoreContent) -> StoreContent {
        var content = self
        for identifier in Set(before.models.keys).union(after.models.keys) {
            switch (before.models[identifier], after.models[identifier]) {
            case (let old?, let new?):
                for (name, value) in old.values where new.values[name] != value {
                    content.models[identifier]?.values[name] = value
                }
                for (name, links) in old.links {
                    let added = (new.links[name] ?? []).subtracting(links)
                    let removed = links.subtracting(new.links[name] ?? [])
                    content.models[identifier]?.links[name]?.subtract(added)
                    content.models[identifier]?.links[name]?.formUnion(removed)
                }
            case (let old, _): content.models[identifier] = old
            }
        }
        return content
    }
}

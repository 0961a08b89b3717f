import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// In-place changes of to-many relationships, with every mutating method of arrays, compared with plain arrays.
@Suite struct ListChangeTests {
    /// Two parents, their children, and children without a parent.
    private struct Family {
        let context: ModelContext
        var parents: [GraphNode]
        let children: [GraphNode]
        /// The expected lists.
        var lists: [[Int]]

        init(_ store: TestStore) throws {
            context = store.context()
            parents = ["a", "b"].map { GraphNode($0) }
            children = (0..<8).map { GraphNode("\($0)") }
            for model in parents + children { context.insert(model) }
            try context.save()
            lists = [[], []]
        }

        func models(_ numbers: [Int]) -> [GraphNode] { numbers.map { children[$0] } }

        func check(_ comment: Comment, inOrder: Bool = true, _ location: SourceLocation = #_sourceLocation) {
            for (index, list) in lists.enumerated() {
                let (found, expected) = (parents[index].children.map(\.name), list.map(String.init))
                #expect(
                    inOrder ? found == expected : found.sorted() == expected.sorted(), comment, sourceLocation: location
                )
            }
            for (number, child) in children.enumerated() {
                let parent = lists.firstIndex { $0.contains(number) }.map { parents[$0] }
                #expect(child.parent === parent, "\(comment): parent of \(number)", sourceLocation: location)
            }
        }
    }

    // MARK: Single cases

    @Test(arguments: StoreKind.allCases) func everyArrayMutationUpdatesBothSides(_ kind: StoreKind) throws {
        let store = try TestStore(kind, [GraphNode.self])
        var family = try Family(store)
        let (a, children) = (family.parents[0], family.children)
        func expect(_ list: [Int], _ comment: Comment, _ location: SourceLocation = #_sourceLocation) {
            family.lists[0] = list
            family.check(comment, location)
        }
        for child in children[0..<4] { a.children.append(child) }
        expect([0, 1, 2, 3], "append")
        a.children.append(contentsOf: children[4..<6])
        expect([0, 1, 2, 3, 4, 5], "append(contentsOf:)")
        a.children.removeLast()
        expect([0, 1, 2, 3, 4], "removeLast")
        a.children.removeLast(2)
        expect([0, 1, 2], "removeLast(_:)")
        a.children += [children[5]]
        expect([0, 1, 2, 5], "+=")
        a.children = a.children + [children[6]]
        expect([0, 1, 2, 5, 6], "+")
        a.children.insert(children[7], at: 0)
        expect([7, 0, 1, 2, 5, 6], "insert at the beginning")
        a.children.insert(children[3], at: 2)
        expect([7, 0, 3, 1, 2, 5, 6], "insert in the middle")
        a.children.removeFirst()
        expect([0, 3, 1, 2, 5, 6], "removeFirst")
        a.children.remove(at: 2)
        expect([0, 3, 2, 5, 6], "remove(at:)")
        a.children[1] = children[7]
        expect([0, 7, 2, 5, 6], "an element")
        a.children.swapAt(0, 4)
        expect([6, 7, 2, 5, 0], "swapAt")
        a.children.sort { $0.name < $1.name }
        expect([0, 2, 5, 6, 7], "sort")
        a.children.reverse()
        expect([7, 6, 5, 2, 0], "reverse")
        a.children.removeAll { $0.name < "3" }
        expect([7, 6, 5], "removeAll(where:)")
        a.children.replaceSubrange(1...1, with: [children[0], children[1]])
        expect([7, 0, 1, 5], "replaceSubrange")
        a.children.append(children[0])
        a.children.append(contentsOf: [children[1], children[2], children[2]])
        expect([7, 0, 1, 5, 2], "existing elements are not added twice")
        a.children = family.models([3, 3, 4])
        expect([3, 4], "assigned duplicates are removed")
        a.children.removeAll()
        expect([], "removeAll")
        try family.context.save()
        let reader = store.context()
        #expect(try reader.fetch(FetchDescriptor<GraphNode>()).allSatisfy { $0.parent == nil && $0.children.isEmpty })
    }

    @Test func changesBeforeTheEndAreDetected() throws {
        var family = try Family(try TestStore(.inMemory, [GraphNode.self]))
        let (a, children) = (family.parents[0], family.children)
        a.children = family.models([0, 1, 2, 3])
        // One in-place change that looks like an append, judging by the first and last element.
        func replaceAndAppend(_ list: inout [GraphNode]) {
            list[1] = children[5]
            list.append(children[6])
        }
        replaceAndAppend(&a.children)
        #expect(children[1].parent == nil && children[5].parent === a && children[6].parent === a)
        family.lists[0] = [0, 5, 2, 3, 6]
        family.check("replaced and appended")

        func replaceAndRemove(_ list: inout [GraphNode]) {
            list[1] = children[7]
            list.removeLast()
        }
        replaceAndRemove(&a.children)
        #expect(family.context.changedModelsArray.contains { $0 === children[7] })
        family.lists[0] = [0, 7, 2, 3]
        family.check("replaced and removed")

        let new = GraphNode("new")
        replaceAndAppend(&a.children)
        func replaceByNew(_ list: inout [GraphNode]) {
            list[2] = new
            list.append(children[1])
        }
        replaceByNew(&a.children)
        #expect(family.context.hasChanges && new.modelContext === family.context)
        try family.context.save()
        #expect(new.parent === a && children[2].parent == nil)
    }

    @Test func readsDuringAChangeReturnThePreviousValue() throws {
        let family = try Family(try TestStore(.inMemory, [GraphNode.self]))
        let (a, b, children) = (family.parents[0], family.parents[1], family.children)
        a.children = family.models([0, 1, 2, 3])
        a.children.removeAll { child in a.children.count == 4 && child.parent === a && child.name != "3" }
        #expect(a.children == [children[3]])
        a.children = family.models([0, 1, 2, 3])
        // The array replaces changes made during the access, unless these have replaced the list.
        a.children.removeAll { child in
            children[7].parent = a
            b.children = [children[0]]
            return child === children[2]
        }
        #expect(a.children == family.models([0, 1, 3]) && children[7].parent == nil && b.children.isEmpty)
    }

    /// A fetch that reads the new row replaces the list.
    @Test(arguments: StoreKind.allCases) func destinationsReadDuringAChangeRemain(_ kind: StoreKind) throws {
        let store = try TestStore(kind, [GraphNode.self])
        let family = try Family(store)
        let (a, children) = (family.parents[0], family.children)
        a.children = family.models([0, 1, 2])
        try family.context.save()
        #expect(a.children.count == 3)
        let other = store.context()
        let child = GraphNode("8")
        other.insert(child)
        child.parent = try other.fetch(FetchDescriptor<GraphNode>(predicate: #Predicate { $0.name == "a" })).first
        try other.save()
        try a.children.removeAll { child in
            try family.context.fetch(FetchDescriptor<GraphNode>(predicate: #Predicate { $0.name == "8" })).isEmpty
                || child.name == "1"
        }
        #expect(a.children.map(\.name).sorted() == ["0", "2", "8"] && children[1].parent == nil)
        try family.context.save()
        let added = GraphNode("9")
        other.insert(added)
        added.parent = child.parent
        try other.save()
        func change(_ list: inout [GraphNode]) throws {
            let index = try #require(list.firstIndex { $0.name == "2" })
            list[index] = children[3]
            list.append(children[4])
            let isNew = #Predicate<GraphNode> { $0.name == "9" }
            #expect(try family.context.fetch(FetchDescriptor<GraphNode>(predicate: isNew)).count == 1)
        }
        try change(&a.children)
        #expect(children[2].parent == nil && children[3].parent === a && children[4].parent === a)
        try family.context.save()
        let stored = FetchDescriptor<GraphNode>(predicate: #Predicate { $0.parent?.name == "a" })
        #expect(try store.context().fetch(stored).map(\.name).sorted() == ["0", "3", "4", "8", "9"])
    }

    @Test func changesBeforeAThrownErrorAreKept() throws {
        let family = try Family(try TestStore(.inMemory, [GraphNode.self]))
        let a = family.parents[0]
        func change(_ list: inout [GraphNode]) throws {
            list.append(family.children[0])
            throw CancellationError()
        }
        #expect(throws: CancellationError.self) { try change(&a.children) }
        #expect(a.children == [family.children[0]] && family.children[0].parent === a)
    }

    @Test func removingAndAddingAModelInOneChange() throws {
        var family = try Family(try TestStore(.inMemory, [GraphNode.self]))
        let (a, b, children) = (family.parents[0], family.parents[1], family.children)
        a.children = family.models([0, 1, 2, 3, 4, 5])
        for child in children[0..<5] { child.parent = b }
        for child in children[0..<2] { child.parent = a }
        children[0].parent = nil
        children[0].parent = a
        family.lists = [[5, 1, 0], [2, 3, 4]]
        family.check("moved")
        family.context.delete(children[5])
        family.context.delete(children[1])
        #expect(a.children == [children[0]])
        family.context.insert(children[5])
        #expect(a.children == [children[0], children[5]])
    }

    @Test func modelsOfAnotherContextAreNotAdded() throws {
        let store = try TestStore(.inMemory, [GraphNode.self])
        let family = try Family(store)
        let a = family.parents[0]
        a.children = family.models([0, 1])
        let other = store.context()
        let stranger = try #require(try other.fetch(FetchDescriptor<GraphNode>()).first)
        a.children.append(stranger)
        for _ in 0..<2 {
            #expect(throws: SwiftDataError.contextMismatch) { try family.context.save() }
        }
        #expect(a.children == family.models([0, 1]))
        a.children.append(family.children[2])
        try family.context.save()
        #expect(a.children == family.models([0, 1, 2]))
        // `other` retains its models to the end.
        withExtendedLifetime(other) {}
    }

    @Test func listsOfModelsWithoutAContextChangeInPlace() throws {
        let item = LinkItem("item")
        let tags = ["a", "b", "c"].map { LinkTag($0) }
        for tag in tags { item.tags.append(tag) }
        item.tags.removeFirst()
        #expect(item.tags.map(\.name) == ["b", "c"])
        item.sketches?.append(LinkPhoto("none"))
        #expect(item.sketches == nil)
        item.sketches = []
        item.sketches?.append(LinkPhoto("p"))
        item.covers.insert(LinkPhoto("q"))
        #expect(item.sketches?.count == 1 && item.covers.count == 1)
        let store = try TestStore(.inMemory, [LinkItem.self])
        let context = store.context()
        context.insert(item)
        try context.save()
        let read = try store.reading { try $0.items()[0] }
        #expect(read.tags.names == ["b", "c"] && read.sketches?.names == ["p"] && read.covers.names == ["q"])
    }

    @Test func optionalListsAndSetsChangeInPlace() throws {
        let store = try TestStore(.inMemory, [LinkItem.self])
        let context = store.context()
        let item = LinkItem("item")
        context.insert(item)
        try context.save()
        let photos = (0..<5).map { LinkPhoto("\($0)") }
        for photo in photos { item.sketches?.append(photo) }
        item.sketches?.removeFirst()
        for photo in photos { item.covers.insert(photo) }
        item.covers.remove(photos[2])
        #expect(item.sketches?.names == ["1", "2", "3", "4"] && item.covers.names == ["0", "1", "3", "4"])
        item.sketches = nil
        #expect(item.sketches?.isEmpty == true)
        item.sketches?.append(photos[0])
        try context.save()
        let read = try store.reading { try $0.items()[0] }
        #expect(read.sketches?.names == ["0"] && read.covers.names == ["0", "1", "3", "4"])
    }

    // MARK: Random sequences

    @Test(arguments: TestSeed.rounds(8)) func randomChangesMatchPlainArrays(_ seed: Int) throws {
        let store = try TestStore(.inMemory, [GraphNode.self])
        var family = try Family(store)
        var random = SplitMix(state: UInt64(seed))
        for step in 0..<200 {
            let action = try Self.change(&family, &random)
            // Often, several changes precede the first read.
            if random.next() % 3 == 0 { family.check("seed \(seed), step \(step): \(action)") }
        }
        family.check("seed \(seed)")
        try family.context.save()
        let rows = try store.context().fetch(FetchDescriptor<GraphNode>())
        for (index, name) in ["a", "b"].enumerated() {
            let names = rows.filter { $0.parent?.name == name }.map(\.name).sorted()
            #expect(names == family.lists[index].map(String.init).sorted(), "seed \(seed)")
        }
    }

    /// Changes a list and its expected value.
    private static func change(_ family: inout Family, _ random: inout SplitMix) throws -> String {
        let side = Int.random(in: 0...1, using: &random)
        let (parent, number) = (family.parents[side], Int.random(in: 0..<family.children.count, using: &random))
        let child = family.children[number]
        func take(_ numbers: [Int]) {
            for number in numbers {
                family.lists[1 - side].removeAll { $0 == number }
            }
        }
        let list = family.lists[side]
        switch Int.random(in: 0..<13, using: &random) {
        case 0, 1:
            parent.children.append(child)
            if !list.contains(number) { family.lists[side].append(number) }
            take([number])
            return "append \(number)"
        case 2:
            guard !list.isEmpty else { return "" }
            parent.children.removeLast()
            family.lists[side].removeLast()
            return "removeLast"
        case 3:
            guard let place = list.indices.randomElement(using: &random) else { return "" }
            parent.children.remove(at: place)
            family.lists[side].remove(at: place)
            return "remove at \(place)"
        case 4:
            guard !list.contains(number) else { return "" }
            let place = Int.random(in: 0...list.count, using: &random)
            parent.children.insert(child, at: place)
            family.lists[side].insert(number, at: place)
            take([number])
            return "insert \(number) at \(place)"
        case 5:
            child.parent = parent
            if !list.contains(number) { family.lists[side].append(number) }
            take([number])
            return "set the parent of \(number)"
        case 6:
            child.parent = nil
            family.lists[0].removeAll { $0 == number }
            family.lists[1].removeAll { $0 == number }
            return "set no parent of \(number)"
        case 7:
            let numbers = Array(family.children.indices.shuffled(using: &random).prefix(number))
            parent.children = family.models(numbers)
            family.lists[side] = numbers
            take(numbers)
            return "assign \(numbers)"
        case 8:
            // One change of an element in the middle and at the end.
            guard list.count > 2, !list.contains(number) else { return "" }
            let (place, last) = (1, family.children.indices.first { $0 != number && !list.contains($0) })
            guard let last else { return "" }
            func change(_ models: inout [GraphNode]) {
                models[place] = child
                models.append(family.children[last])
            }
            change(&parent.children)
            family.lists[side][place] = number
            family.lists[side].append(last)
            take([number, last])
            // Until the lists are compared, another append of the same model would replace this one.
            _ = family.context.hasChanges
            return "replace \(place) by \(number) and append \(last)"
        case 9:
            parent.children.shuffle(using: &random)
            family.lists[side] = parent.children.compactMap { Int($0.name) }
            return "shuffle"
        case 10:
            parent.children.removeAll { (Int($0.name) ?? 0) % 2 == 0 }
            family.lists[side].removeAll { $0 % 2 == 0 }
            return "remove the even ones"
        case 11:
            try family.context.save()
            return "save"
        default:
            _ = try family.context.fetchCount(FetchDescriptor<GraphNode>())
            return "count"
        }
    }
}

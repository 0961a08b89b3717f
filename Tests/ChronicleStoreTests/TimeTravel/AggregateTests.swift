import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

@Model private final class Order {
    var number: Int
    @Relationship(deleteRule: .cascade, inverse: \Line.order) var lines: [Line] = []
    var shipments: [Shipment] = []
    var customer: Customer?

    init(_ number: Int) { self.number = number }
}

@Model private final class Line {
    var count: Int
    var product: Product?
    var order: Order?

    init(_ count: Int, of product: Product? = nil) {
        self.count = count
        self.product = product
    }
}

@Model private final class Product {
    var name: String
    init(_ name: String) { self.name = name }
}

/// Without an inverse.
@Model private final class Shipment {
    var place: String
    init(_ place: String) { self.place = place }
}

@Model private final class Customer {
    var name: String
    init(_ name: String) { self.name = name }
}

@Model private class Piece {
    var songbook: Songbook?
    init() {}
}

@Model private class Song: Piece {
    var writer: Customer?
    override init() { super.init() }
}

/// Its name is before that of the class that declares the relationship.
@Model private final class Anthem: Song {
    override init() { super.init() }
}

@Model private final class Songbook {
    @Relationship(inverse: \Piece.songbook) var pieces: [Piece] = []
    init() {}
}

/// The history of an order with its lines, and its limits.
@Suite struct AggregateTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func container(_ kind: StoreKind = .file, preservesValues: Bool = true) throws -> ModelContainer {
        try ModelContainer(
            for: Order.self, Line.self, Product.self, Shipment.self, Customer.self,
            configurations: kind == .file
                ? ModelConfiguration(
                    url: directory.file("test.store"), durability: .relaxed, preservesValues: preservesValues)
                : ModelConfiguration(isStoredInMemoryOnly: true, preservesValues: preservesValues))
    }

    private func text(_ entries: [ModelHistoryEntry<DefaultHistoryTransaction>]) -> [String] {
        entries.map { entry in
            "\(entry.kind) \(entry.change.changedPersistentIdentifier.entityName) "
                + "\(entry.updatedAttributeNames.sorted().joined(separator: ",")) \(entry.paths.joined(separator: ","))"
        }
    }

    /// Each save is one change of one model, except for inserts and deletes of several.
    @Test(arguments: StoreKind.allCases) private func linesMoveAndAreDeleted(_ kind: StoreKind) throws {
        let context = ModelContext(try container(kind))
        let (first, second) = (Order(1), Order(2))
        let (tea, line) = (Product("tea"), Line(1))
        for model in [first, second] as [any PersistentModel] { context.insert(model) }
        context.insert(tea)
        context.insert(line)
        try context.save()
        for order in [second, first, second, first] {
            line.order = order
            try context.save()
            line.count += 1
            try context.save()
        }
        line.product = tea
        try context.save()
        tea.name = "green tea"
        try context.save()
        context.delete(line)
        try context.save()
        tea.name = "black tea"
        try context.save()

        #expect(
            text(try context.history(of: first, including: \.lines, \.lines.product)) == [
                "insert Order  ", "update Line order lines", "update Line count lines", "update Line order lines",
                "update Line order lines", "update Line count lines", "update Line product lines",
                "update Product name lines.product", "delete Line  lines",
            ])
        #expect(
            text(try context.history(of: second, including: \.lines.product, \.lines, order: .reverse)) == [
                "update Line order lines", "update Line count lines", "update Line order lines",
                "update Line order lines", "update Line count lines", "update Line order lines", "insert Order  ",
            ])
        // The models in between are included only if they have a path.
        #expect(
            text(try context.history(of: first, including: \.lines.product)) == [
                "insert Order  ", "update Product name lines.product",
            ])
    }

    @Test private func aDeletedOrderAndItsLinesAreRestored() throws {
        let context = ModelContext(try container())
        let order = Order(1)
        order.lines = [Line(1), Line(2)]
        order.shipments = [Shipment("Oslo")]
        context.insert(order)
        try context.save()
        let start = try context.currentHistoryToken()
        context.delete(order)
        try context.save()
        let identifier = order.persistentModelID
        try context.revert(order, to: start, including: \.lines)
        try context.save()
        let restored = try #require(try context.existingModel(for: identifier) as? Order)
        #expect(restored.lines.map(\.count).sorted() == [1, 2])
        restored.shipments.first?.place = "Rome"
        try context.save()

        let entries = try context.history(of: identifier, including: ["lines", "shipments"])
        #expect(entries.count { $0.paths == ["lines"] && $0.kind == .insert } == 4)
        #expect(entries.count { $0.paths == ["lines"] && $0.kind == .delete } == 2)
        #expect(entries.count { $0.paths.isEmpty && $0.kind != .update } == 3)
        #expect(text(entries).last == "update Shipment place shipments")
    }

    @Test private func severalPathsReachAModel() throws {
        let context = ModelContext(try container())
        let (order, tea) = (Order(1), Product("tea"))
        order.lines = [Line(1, of: tea), Line(2, of: tea)]
        context.insert(order)
        try context.save()
        let start = try context.currentHistoryToken()
        order.number = 7
        try context.save()
        tea.name = "coffee"
        try context.save()
        let entries = try context.history(
            of: order, including: \.lines.product, \.lines.order, \.lines.order.lines.product, after: start)
        #expect(
            text(entries) == [
                "update Order number lines.order", "update Product name lines.product,lines.order.lines.product",
            ])
        let blames = try context.blame(of: order, including: \.lines.order, \.lines.product)
        #expect(blames.map(\.paths) == [["lines.order"], ["lines.product"]])
        #expect(blames.map(\.model.entityName) == ["Order", "Product"])
        #expect(blames[1]["name"]?.token == entries[1].transaction.token)
    }

    /// Subclasses of the destination declare the relationship, and inherit it.
    @Test private func relationshipsOfSubclasses() throws {
        let container = try ModelContainer(
            for: Piece.self, Song.self, Anthem.self, Songbook.self, Customer.self,
            configurations: ModelConfiguration(isStoredInMemoryOnly: true, preservesValues: true))
        let context = ModelContext(container)
        let (songbook, song, anthem) = (Songbook(), Song(), Anthem())
        songbook.pieces = [Piece(), song, anthem]
        (song.writer, anthem.writer) = (Customer("a"), Customer("b"))
        context.insert(songbook)
        try context.save()
        let start = try context.currentHistoryToken()
        for writer in [song.writer, anthem.writer] {
            writer?.name += "!"
            try context.save()
        }
        let entries = try context.history(
            of: songbook.persistentModelID, including: ["pieces.writer"], after: start)
        #expect(text(entries) == Array(repeating: "update Customer name pieces.writer", count: 2))
    }

    // MARK: Missing values and errors

    private func failure(_ body: () throws -> Void) -> SwiftDataError? {
        do { try body() } catch { return error as? SwiftDataError }
        return nil
    }

    /// The unknown reference may have been one to the order.
    @Test private func theHistoryDoesNotPreserveAReference() throws {
        let context = ModelContext(try container(preservesValues: false))
        let (order, other, line) = (Order(1), Order(2), Line(1))
        for model in [order, other, line] as [any PersistentModel] { context.insert(model) }
        line.order = other
        try context.save()
        order.number = 3
        try context.save()
        // Nothing changed a line since it was inserted.
        #expect(text(try context.history(of: order, including: \.lines)).count == 2)
        line.order = nil
        try context.save()
        let transaction = try #require(try context.fetchHistory().last)
        let error = failure { _ = try context.history(of: order, including: \.lines) }
        #expect(error?.code == .historyValueMissing)
        #expect(error?.propertyName == "order" && error?.persistentIdentifier == line.persistentModelID)
        #expect(error?.detail?.contains("before transaction \(transaction.transactionIdentifier)") == true)
        line.order = order
        try context.save()
        let token = try context.currentHistoryToken()
        line.count = 5
        try context.save()
        #expect(failure { _ = try context.history(of: order, including: \.lines, after: transaction.token) } != nil)
        #expect(text(try context.history(of: order, including: \.lines, after: token)) == ["update Line count lines"])
        // The present models are known.
        #expect(try context.blame(of: order, including: \.lines).count == 2)
        // The reference of another model does not matter.
        other.customer = Customer("b")
        try context.save()
        other.customer = nil
        try context.save()
        #expect(text(try context.history(of: order, including: \.customer)).count == 2)
        #expect(failure { _ = try context.history(of: other, including: \.customer) }?.propertyName == "customer")
    }

    @Test private func listsWithoutPreservedValues() throws {
        let context = ModelContext(try container(preservesValues: false))
        let (order, shipment) = (Order(1), Shipment("Oslo"))
        context.insert(order)
        context.insert(shipment)
        try context.save()
        order.shipments = [shipment]
        try context.save()
        #expect(failure { _ = try context.history(of: order, including: \.shipments) }?.code == .historyValueMissing)
        let token = try context.currentHistoryToken()
        shipment.place = "Rome"
        try context.save()
        #expect(text(try context.history(of: order, including: \.shipments, after: token)).count == 1)
    }

    @Test private func pathsThatAreNoRelationships() throws {
        let context = ModelContext(try container())
        let order = Order(1)
        #expect(failure { _ = try context.history(of: order, including: \.lines) }?.code == .modelNotFound)
        context.insert(order)
        try context.save()
        for (path, detail) in [
            ("lnes", "Order has no relationship lnes; the relationships of Order are customer, lines, shipments"),
            ("number", "number is an attribute; the relationships of Order are customer, lines, shipments"),
            (
                "lines.count",
                "count is an attribute, in the path lines.count; the relationships of Line are order, product"
            ),
            (
                "lines.product.x",
                "Product has no relationship x, in the path lines.product.x; Product has no relationships"
            ),
            ("", "Order has no relationship ; the relationships of Order are customer, lines, shipments"),
        ] {
            let error = failure { _ = try context.history(of: order.persistentModelID, including: ["lines", path]) }
            #expect(error?.code == .unsupportedKeyPath)
            #expect(error?.detail == detail)
            #expect(failure { _ = try context.blame(of: order.persistentModelID, including: [path]) }?.detail == detail)
        }
        #expect(text(try context.history(of: order.persistentModelID, including: [])) == ["insert Order  "])
    }

    @Test private func theBeginningOfTheHistoryWasDeleted() throws {
        let context = ModelContext(try container())
        let (order, line) = (Order(1), Line(1))
        order.lines = [line]
        context.insert(order)
        try context.save()
        let start = try context.currentHistoryToken()
        line.count = 2
        try context.save()
        let token = try context.currentHistoryToken()
        try context.deleteHistory(
            HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token <= token }))
        context.delete(line)
        try context.save()
        #expect(text(try context.history(of: order, including: \.lines)) == ["delete Line  lines"])
        let error = failure { _ = try context.history(of: order, including: \.lines, after: start) }
        #expect(error.map { SwiftDataError.historyTokenExpired ~= $0 } == true)
    }

    // MARK: Revert

    @Test(arguments: StoreKind.allCases) private func anOrderIsRevertedWithItsLines(_ kind: StoreKind) throws {
        let context = ModelContext(try container(kind))
        let (order, other) = (Order(1), Order(2))
        let lines = (0..<4).map { Line($0) }
        order.lines = Array(lines[0...2])
        other.lines = [lines[3]]
        let shipment = Shipment("Oslo")
        order.shipments = [shipment]
        context.insert(order)
        context.insert(other)
        try context.save()
        let token = try context.currentHistoryToken()
        order.number = 5
        lines[0].count = 9
        other.number = 6
        try context.save()
        context.delete(lines[1])
        lines[2].order = other
        lines[3].order = order
        shipment.place = "Rome"
        try context.save()
        order.lines.append(Line(8))
        order.shipments = []
        try context.save()

        try context.revert(order, to: token, including: \.lines)
        try context.save()
        #expect(order.number == 1 && order.lines.map(\.count).sorted() == [0, 1, 2])
        #expect(other.number == 6 && other.lines.map(\.count) == [3])
        #expect(try context.fetchCount(FetchDescriptor<Line>()) == 4)
        // The list is the order's own; the shipment has no path.
        #expect(order.shipments.map(\.place) == ["Rome"])
        try context.revert(order, to: token, including: ["shipments"])
        try context.save()
        #expect(order.shipments.map(\.place) == ["Oslo"])
        #expect(try context.revert(order, to: token, including: \.lines, \.shipments).steps.isEmpty)
    }
}

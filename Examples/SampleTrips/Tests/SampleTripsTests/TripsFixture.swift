import Chronicle
import Foundation
import SampleTrips

extension StoreKind {
    /// The kinds of stores that are files.
    static let files: [StoreKind] = [.sqlite, .journal]

    var fileExtension: String { self == .journal ? "journal" : "store" }
}

/// A store in a separate directory with one trip, a context for each writer, and the stored state of the app.
final class TripsFixture {
    private let directory: URL
    let store: TripStore
    var unread: any AnyUnreadTrips
    let app: ModelContext
    let widget: ModelContext
    /// A context without an author.
    let stranger: ModelContext

    init(_ kind: StoreKind) throws {
        directory = FileManager.default.temporaryDirectory.appending(path: "SampleTripsTests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        store = TripStore(directory.appending(path: "Trips.\(kind.fileExtension)"))
        unread = Self.nothingRead(kind.transactionType)
        app = try store.open(author: TripStore.Author.app, creating: true)
        widget = ModelContext(app.container)
        widget.author = TripStore.Author.widget
        stranger = ModelContext(app.container)
        try addTrip("Rome")
    }

    deinit {
        do { try FileManager.default.removeItem(at: directory) } catch { print(error) }
    }

    func addTrip(_ name: String) throws {
        let trip = Trip(
            name: name, destination: "Italy", startDate: try Day.parse("2027-05-01"),
            endDate: try Day.parse("2027-05-08"))
        app.insert(trip)
        trip.livingAccommodation = LivingAccommodation(placeName: "Casa Rossa")
        try app.save()
    }

    /// Changes the trip of this name in a context, and saves.
    func change(_ name: String = "Rome", in context: ModelContext, _ body: (Trip) -> Void) throws {
        body(try context.trip(named: name, starting: nil))
        try context.save()
    }

    func confirm(_ name: String = "Rome", in context: ModelContext) throws {
        try change(name, in: context) { $0.livingAccommodation?.isConfirmed = true }
    }

    private static func nothingRead<Transaction: HistoryTransaction>(
        _ type: Transaction.Type
    ) -> any AnyUnreadTrips {
        UnreadTrips<Transaction>()
    }

    /// Catches up in a new context.
    @discardableResult
    func catchUp() throws -> UnreadReport { try unread.catchUp(in: ModelContext(app.container)) }

    /// The names of the trips with a mark.
    func marked() throws -> [String] {
        try app.trips().filter { unread.contains($0.persistentModelID) }.map(\.name)
    }

    func deleteAllHistory() throws { try unread.deleteAllHistory(in: app) }
}

/// Unread trips for some type of transactions. Tests take the store as their argument, and so cannot have the type as a
/// parameter.
protocol AnyUnreadTrips {
    var marks: Set<TripMark> { get }
    func contains(_ trip: PersistentIdentifier) -> Bool
    mutating func remove(_ trip: PersistentIdentifier)
    mutating func catchUp(in context: ModelContext) throws -> UnreadReport
    /// Whether the whole current history was read.
    func isAtTheEnd(in context: ModelContext) throws -> Bool
    func deleteAllHistory(in context: ModelContext) throws
    /// The value after encoding to JSON and decoding; `nil` if it is not equal.
    func decodedFromJSON() throws -> (any AnyUnreadTrips)?
}

extension UnreadTrips: AnyUnreadTrips {
    mutating func catchUp(in context: ModelContext) throws -> UnreadReport {
        try catchUp(with: TripHistory(context))
    }

    func isAtTheEnd(in context: ModelContext) throws -> Bool {
        let current = try TripHistory<Transaction>(context).currentToken()
        return current != nil && readToken == current
    }

    func deleteAllHistory(in context: ModelContext) throws {
        try context.deleteHistory(HistoryDescriptor<Transaction>())
    }

    func decodedFromJSON() throws -> (any AnyUnreadTrips)? {
        let decoded = try JSONDecoder().decode(Self.self, from: JSONEncoder().encode(self))
        return decoded == self ? decoded : nil
    }
}

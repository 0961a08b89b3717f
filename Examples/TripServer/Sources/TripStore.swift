import Chronicle
import Foundation

/// Reads and writes the trips. This file does not depend on HTTP.
///
/// Several threads call it, so each call makes a context.
struct TripStore: Sendable {
    let container: ModelContainer

    init(at path: String) throws {
        // Reading earlier states requires the values.
        container = try ModelContainer(
            for: Trip.self, configurations: ModelConfiguration(url: URL(filePath: path), preservesValues: true))
    }

    var identifier: String { container.stores[0].identifier }

    // MARK: Reading

    /// A state in the past.
    enum Moment {
        case token(DefaultHistoryToken)
        case date(Date)
    }

    private func context(asOf moment: Moment) throws -> ModelContext {
        switch moment {
        case .token(let token): try ModelContext(container, asOf: token)
        case .date(let date): try ModelContext(container, asOf: date)
        }
    }

    /// Returns all trips and the token of the state in which they were.
    func trips(asOf moment: Moment? = nil) throws -> TripList {
        // Also for the present: what is committed between the two reads is after the token, and not in the list.
        let token = try ModelContext(container).currentHistoryToken()
        let context = try self.context(asOf: moment ?? .token(token))
        let trips = try context.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.persistentModelID)]))
        return TripList(token: (context.asOf ?? token).text(in: identifier), trips: trips.map(TripContent.init))
    }

    /// Throws ``SwiftDataError/modelNotFound``.
    func trip(_ number: Int64, asOf moment: Moment? = nil) throws -> TripContent {
        let context = try moment.map { try self.context(asOf: $0) } ?? ModelContext(container)
        return TripContent(try trip(number, in: context))
    }

    private func trip(_ number: Int64, in context: ModelContext) throws -> Trip {
        try context.existingModel(for: identifier(of: number), as: Trip.self)
    }

    private func identifier(of number: Int64) throws -> PersistentIdentifier {
        try PersistentIdentifier.identifier(for: identifier, entityName: "Trip", primaryKey: number)
    }

    /// Returns the changes of a trip, which may have been deleted, oldest first. Throws ``SwiftDataError/modelNotFound``.
    func history(of number: Int64) throws -> [TransactionContent] {
        let context = ModelContext(container)
        let entries: [ModelHistoryEntry<DefaultHistoryTransaction>] = try context.history(of: identifier(of: number))
        // If its history was deleted, it may still be there.
        if entries.isEmpty { _ = try trip(number, in: context) }
        return entries.map { TransactionContent($0.transaction, [$0.change], in: self) }
    }

    // MARK: Writing
    //
    // The contexts have no author. They record that of the request, which `HistoryAuthor` has set.

    func add(_ trip: NewTrip) throws -> TripContent {
        let context = ModelContext(container)
        let trip = Trip(name: trip.name, destination: trip.destination, price: trip.price)
        context.insert(trip)
        try context.save()
        return TripContent(trip)
    }

    /// Another request has changed the trip.
    struct Conflict: Error {
        let current: TripContent
    }

    /// Changes a trip if it has the version of the change. One statement checks and changes it, so of two requests with the same
    /// version, also in different processes, one throws ``Conflict``.
    func change(_ number: Int64, _ change: TripChange) throws -> TripContent {
        let (identifier, version) = (try identifier(of: number), change.version)
        var updates = [PropertyUpdate<Trip>(\.version, to: \.version + 1)]
        if let name = change.name { updates.append(PropertyUpdate(\.name, to: name)) }
        if let destination = change.destination { updates.append(PropertyUpdate(\.destination, to: destination)) }
        if let price = change.price { updates.append(PropertyUpdate(\.price, to: price)) }
        let count = try ModelContext(container).update(
            model: Trip.self, where: #Predicate { $0.persistentModelID == identifier && $0.version == version },
            set: updates)
        let current = try trip(number)
        guard count > 0 else { throw Conflict(current: current) }
        return current
    }

    /// Deletes a trip, if it has a version. Of several requests with the same version at the same time, all succeed.
    func delete(_ number: Int64, version: Int?) throws {
        let identifier = try identifier(of: number)
        let current = try trip(number).version
        let version = version ?? current
        let context = ModelContext(container)
        try context.delete(
            model: Trip.self, where: #Predicate { $0.persistentModelID == identifier && $0.version == version })
        do { throw Conflict(current: try trip(number)) } catch SwiftDataError.modelNotFound {}
    }
}

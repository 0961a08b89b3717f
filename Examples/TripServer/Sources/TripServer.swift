import Chronicle
import ChronicleHTTP
import Foundation

/// The requests of the server.
///
/// | request | response |
/// | --- | --- |
/// | `GET /trips?asOf=MOMENT` | all trips, and the token of their state |
/// | `POST /trips` | adds a trip |
/// | `GET /trips/1?asOf=MOMENT` | a trip |
/// | `PATCH /trips/1` | changes a trip |
/// | `DELETE /trips/1?version=2` | deletes a trip |
/// | `GET /trips/1/history` | the changes of a trip |
/// | `GET /changes?after=TOKEN&wait=SECONDS` | the changes of all trips: waits for the next ones, or streams them as events |
struct TripServer: Sendable {
    let store: TripStore

    static var options: HTTPServer.Options {
        var options = HTTPServer.Options()
        options.connections = 256
        options.methods = ["GET", "HEAD", "POST", "PATCH", "DELETE"]
        options.maximumContent = 65_536
        options.refuse = { connection, status, text, fields in
            var problem = Problem(status, text)
            problem.fields = fields
            try problem.send(to: connection)
        }
        return options
    }

    func respond(to request: HTTPRequest, _ connection: HTTPConnection) throws {
        do {
            try route(request, connection)
        } catch let closed as HTTPConnection.Closed {
            throw closed
        } catch {
            try Problem(error).send(to: connection)
        }
    }

    private func route(_ request: HTTPRequest, _ connection: HTTPConnection) throws {
        let path = request.path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map(String.init)
        let method = request.method == "HEAD" ? "GET" : request.method
        switch (method, path.count, path.first) {
        case ("GET", 1, "changes"): try sendChanges(request, connection)
        case ("GET", 1, "trips"): try connection.send(.ok, json: read(request, store.trips))
        case ("GET", 2, "trips"):
            let number = try number(path[1])
            try connection.send(.ok, json: read(request) { try store.trip(number, asOf: $0) })
        case ("GET", 3, "trips") where path[2] == "history":
            try connection.send(.ok, json: store.history(of: number(path[1])))
        case ("POST", 1, "trips"):
            let trip: NewTrip = try content(of: request)
            try Self.require(trip.name)
            let added = try write(request) { try store.add(trip) }
            try connection.send(.created, json: added, fields: ["Location": "/trips/\(added.id)"])
        case ("PATCH", 2, "trips"):
            let change: TripChange = try content(of: request)
            if let name = change.name { try Self.require(name) }
            guard change.name != nil || change.destination != nil || change.price != nil else {
                throw Problem(.badRequest, "name, destination and price are missing; send at least one of them")
            }
            let number = try number(path[1])
            try connection.send(.ok, json: write(request) { try store.change(number, change) })
        case ("DELETE", 2, "trips"):
            let number = try number(path[1]), version = try integer("version", of: request)
            try write(request) { try store.delete(number, version: version) }
            try connection.send(.noContent, type: "application/json", length: 0)
        case (_, 1, "changes"), (_, 1, "trips"), (_, 2, "trips"):
            throw Problem(.methodNotAllowed, "\(request.path) does not support \(request.method)")
        default:
            throw Problem(.notFound, "there is nothing at this address; begin at /trips or /changes")
        }
    }

    // MARK: The author

    /// Whatever the operation saves, the history contains the user and the request. A server that is not an example takes the user
    /// from the authentication of the request.
    private func write<Result>(_ request: HTTPRequest, _ operation: () throws -> Result) throws -> Result {
        guard let user = request.fields["x-user"], !user.isEmpty else {
            throw Problem(.badRequest, "the header X-User is missing; it contains the author of the change")
        }
        let identifier = request.fields["x-request-id"] ?? UUID().uuidString
        // The history stores them with each transaction.
        guard user.utf8.count <= 200, identifier.utf8.count <= 200 else {
            throw Problem(.badRequest, "X-User or X-Request-ID has more than 200 characters")
        }
        return try HistoryAuthor.withValue(user, metadata: ["request": identifier], operation: operation)
    }

    // MARK: Changes

    private func sendChanges(_ request: HTTPRequest, _ connection: HTTPConnection) throws {
        // A browser that connects again sends the identifier of the last event.
        let text = request.fields["last-event-id"] ?? request.query["after"] ?? "0"
        guard let token = DefaultHistoryToken(text: text, storeIdentifier: store.identifier) else {
            throw Problem(
                .badRequest, "the token is invalid; use one of GET /trips or of this feed, or 0 for the beginning")
        }
        let wait = try integer("wait", of: request) ?? 25
        guard (0...60).contains(wait) else {
            throw Problem(.badRequest, "wait is not a number of seconds from 0 to 60")
        }
        var feed = try ChangeFeed(store, after: token)
        if request.fields["accept"]?.contains("text/event-stream") == true {
            try feed.sendEvents(to: connection)
        } else {
            try feed.sendPage(to: connection, wait: .seconds(wait))
        }
    }

    // MARK: Requests

    private func number(_ text: String) throws -> Int64 {
        guard let number = Int64(text), number > 0 else { throw Problem(.notFound, "there is no such trip") }
        return number
    }

    private func integer(_ name: String, of request: HTTPRequest) throws -> Int? {
        guard let text = request.query[name] else { return nil }
        guard let number = Int(text) else { throw Problem(.badRequest, "\(name) is not a number") }
        return number
    }

    /// Reads the present, or the state that `asOf` names.
    private func read<Result>(
        _ request: HTTPRequest, _ operation: (TripStore.Moment?) throws -> Result
    ) throws -> Result {
        do {
            return try operation(moment(request))
        } catch SwiftDataError.historyTokenExpired {
            throw Problem(
                .gone, "this state is not available; use the token of a transaction in the history, or a later date")
        }
    }

    private func moment(_ request: HTTPRequest) throws -> TripStore.Moment? {
        guard let text = request.query["asOf"] else { return nil }
        if let token = DefaultHistoryToken(text: text, storeIdentifier: store.identifier) { return .token(token) }
        if let date = JSON.date(text) { return .date(date) }
        throw Problem(.badRequest, "asOf is neither a token nor a date such as 2026-03-01 or 2026-03-01T14:30:00Z")
    }

    private func content<Content: Decodable>(of request: HTTPRequest) throws -> Content {
        // A page of another site cannot send this type without permission.
        guard request.fields["content-type"]?.lowercased().hasPrefix("application/json") == true else {
            throw Problem(.unsupportedMediaType, "the content is not JSON; send it with Content-Type: application/json")
        }
        do {
            return try JSONDecoder().decode(Content.self, from: Data(request.content))
        } catch DecodingError.keyNotFound(let key, _) {
            throw Problem(.badRequest, "\(key.stringValue) is missing")
        } catch DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context) {
            let name = context.codingPath.last?.stringValue ?? "the content"
            throw Problem(.badRequest, "\(name) has the wrong type")
        } catch {
            throw Problem(.badRequest, "the content is not valid JSON, or a number is too large")
        }
    }

    private static func require(_ name: String) throws {
        guard !name.isEmpty else { throw Problem(.badRequest, "the name is empty") }
    }
}

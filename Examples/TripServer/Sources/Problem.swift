import Chronicle
import ChronicleHTTP
import Foundation

/// A response with an error.
struct Problem: Error {
    let status: HTTPStatus
    let content: Content
    var fields: KeyValuePairs<String, String> = [:]

    struct Content: Encodable {
        /// What happened, and what to do.
        let error: String
        /// The trip that conflicts with a request.
        var trip: TripContent?
    }

    init(_ status: HTTPStatus, _ text: String, trip: TripContent? = nil) {
        (self.status, content) = (status, Content(error: text, trip: trip))
    }

    /// Describes an error of the store.
    init(_ error: any Error) {
        switch error {
        case let problem as Problem: self = problem
        case let conflict as TripStore.Conflict:
            self.init(
                .conflict,
                "the trip has the version \(conflict.current.version); apply the change to it and send it again",
                trip: conflict.current)
        case SwiftDataError.modelNotFound:
            self.init(.notFound, "there is no such trip")
        case SwiftDataError.historyTokenExpired:
            // Also a token of another store, or of a state that a backup has replaced.
            self.init(
                .gone,
                "the history after this token is not available; replace what you have by GET /trips, and continue "
                    + "after its token. \(error.localizedDescription)")
        case SwiftDataError.storeBusy:
            self.init(.unavailable, "the store is in use; send the request again. \(error.localizedDescription)")
        default: self.init(.internalError, error.localizedDescription)
        }
    }

    func send(to connection: HTTPConnection) throws {
        try connection.send(status, json: content, fields: fields)
    }
}

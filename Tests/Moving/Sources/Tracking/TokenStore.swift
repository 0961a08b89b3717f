import Foundation
import SwiftData

/// Keeps the position of a tracker between launches.
public struct TokenStore: Sendable {
    public var url: URL

    public init(url: URL) { self.url = url }

    public var token: DefaultHistoryToken? {
        get throws {
            guard FileManager.default.fileExists(atPath: url.path) else { return nil }
            return try JSONDecoder().decode(DefaultHistoryToken.self, from: Data(contentsOf: url))
        }
    }

    public func save(_ token: DefaultHistoryToken) throws {
        try JSONEncoder().encode(token).write(to: url, options: .atomic)
    }
}

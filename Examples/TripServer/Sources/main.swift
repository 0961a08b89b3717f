import Chronicle
import ChronicleHTTP
import Foundation

// A connection that the client has closed is an error of the call.
signal(SIGPIPE, SIG_IGN)

let arguments = CommandLine.arguments.dropFirst()
guard arguments.count <= 2, let port = UInt16(arguments.dropFirst().first ?? "8080") else {
    FileHandle.standardError.write(Data("usage: TripServer [FILE [PORT]]\n".utf8))
    exit(2)
}
let path = arguments.first ?? "trips.store"
do {
    let trips = TripServer(store: try TripStore(at: path))
    let server = try HTTPServer(port: port, options: TripServer.options) { try trips.respond(to: $0, $1) }
    print("\(path): http://localhost:\(server.port)/trips (Ctrl-C ends)")
    fflush(nil)
    try server.run()
} catch HTTPServer.PortError.inUse {
    FileHandle.standardError.write(Data("TripServer: port \(port) is in use; choose another one\n".utf8))
    exit(1)
} catch {
    FileHandle.standardError.write(Data("TripServer: \(error.localizedDescription)\n".utf8))
    exit(1)
}

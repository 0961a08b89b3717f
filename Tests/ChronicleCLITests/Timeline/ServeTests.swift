import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleCLI

/// `chronicle serve` as a process, with requests that no browser sends.
struct ServeTests {
    private let store: TestStore
    private let server: ServedStore

    init() throws {
        store = try TimelineFixtures.makeStore()
        server = try ServedStore(store.url)
    }

    @Test func `sends the page with headers that protect it`() throws {
        let response = try HTTPClient.request("GET", "/", port: server.port)
        #expect(response.status == 200)
        #expect(response.fields["content-type"] == "text/html; charset=utf-8")
        #expect(response.fields["content-length"] == String(response.content.count))
        #expect(response.fields["cache-control"] == "no-store")
        #expect(response.fields["x-content-type-options"] == "nosniff")
        #expect(response.fields["cross-origin-resource-policy"] == "same-origin")
        #expect(response.text.contains(#""live":true"#))
        let policy = try #require(response.fields["content-security-policy"])
        let nonce = try #require(response.text.firstMatch(of: /<script nonce="([^"]+)">/)).output.1
        #expect(policy.contains("script-src 'nonce-\(nonce)'"))
        #expect(!policy.contains("unsafe"))
        let next = try HTTPClient.request("GET", "/", port: server.port)
        #expect(!next.text.contains(nonce))
    }

    @Test(arguments: [
        ("GET", "/", "localhost:PORT", 200), ("GET", "/", "LOCALHOST:PORT", 200), ("GET", "/", "127.0.0.1:PORT", 200),
        ("GET", "/", "[::1]:PORT", 200), ("GET", "/?x=1", "localhost:PORT", 200),
        // The name of a page that lets it resolve to this computer.
        ("GET", "/", "example.com", 403), ("GET", "/", "example.com:PORT", 403), ("GET", "/", "localhost", 403),
        ("GET", "/", "localhost.example.com:PORT", 403), ("GET", "/events?after=0", "example.com:PORT", 403),
        ("GET", "/", "localhost:1", 403), ("GET", "/", "", 403), ("POST", "/", "example.com", 403),
        ("POST", "/", "localhost:PORT", 405), ("PUT", "/", "localhost:PORT", 405),
        ("DELETE", "/events", "localhost:PORT", 405), ("OPTIONS", "/", "localhost:PORT", 405),
        ("HEAD", "/", "localhost:PORT", 200), ("HEAD", "/", "example.com", 403), ("HEAD", "/x", "localhost:PORT", 404),
        ("HEAD", "/events?after=x", "localhost:PORT", 400),
        ("HEAD", "/events?after=0", "localhost:PORT", 200),
        ("GET", "/index.html", "localhost:PORT", 404),
        ("GET", "/../../etc/passwd", "localhost:PORT", 404), ("GET", "//", "localhost:PORT", 404),
        ("GET", "/events", "localhost:PORT", 400), ("GET", "/events?after=-1", "localhost:PORT", 400),
        ("GET", "/events?after=now", "localhost:PORT", 400), ("GET", "http://localhost/", "localhost:PORT", 403),
        // Proxies send the whole URL, whose host is the one of the request.
        ("GET", "http://localhost:PORT/", "localhost:PORT", 200),
        ("GET", "HTTP://127.0.0.1:PORT", "localhost:PORT", 200),
        ("GET", "http://localhost:PORT?x=1", "example.com", 200),
        ("GET", "http://localhost:PORT/x", "localhost:PORT", 404),
        ("GET", "http://example.com/", "localhost:PORT", 403),
        ("GET", "https://localhost:PORT/", "localhost:PORT", 400),
    ])
    func `accepts requests for names and addresses of this computer only`(
        method: String, path: String, host: String, status: Int
    ) throws {
        let host = host.replacing("PORT", with: String(server.port))
        let path = path.replacing("PORT", with: String(server.port))
        let response = try HTTPClient.request(method, path, port: server.port, host: host)
        #expect(response.status == status)
        #expect(response.fields["x-content-type-options"] == "nosniff")
        if status == 405 { #expect(response.fields["allow"] == "GET, HEAD") }
        #expect(response.content.isEmpty == (method == "HEAD"))
        if status != 200 { #expect(!response.text.contains("Trip 1")) }
    }

    @Test func `sends later transactions as events`() throws {
        let client = try HTTPClient(port: server.port)
        client.send(Data("GET /events?after=0 HTTP/1.1\r\nHost: localhost:\(server.port)\r\n\r\n".utf8))
        let first = try client.receive(until: "Museum")
        #expect(first.contains("Content-Type: text/event-stream\r\n"))
        let trip = Trip(name: "Later", destination: "Oslo")
        let context = store.context(author: "later")
        context.insert(trip)
        try context.save()
        let second = try client.receive(until: #""Later""#)
        // Each event continues after the previous one, whose identifier a browser sends when it connects again.
        let last = try #require(try client.receive(until: "\n\n").matches(of: /id: (\S+)\ndata/).last).output.1
        #expect(second.components(separatedBy: "Museum").count == 2)
        let again = try HTTPClient(port: server.port)
        again.send(
            Data(
                "GET /events?after=0 HTTP/1.1\r\nHost: localhost:\(server.port)\r\nLast-Event-ID: \(last)\r\n\r\n".utf8)
        )
        trip.name = "Last"
        try context.save()
        let third = try again.receive(until: #""Last""#)
        #expect(!third.contains("Museum"))
        // A position of another history.
        let reset = try HTTPClient(port: server.port)
        reset.send(
            Data("GET /events?after=4-00000000deadbeef HTTP/1.1\r\nHost: localhost:\(server.port)\r\n\r\n".utf8))
        _ = try reset.receive(until: "event: reset")
    }

    @Test func `survives broken and slow clients`() throws {
        let large = try HTTPClient(port: server.port)
        large.send(Data("GET / HTTP/1.1\r\nX: \(String(repeating: "x", count: 20_000))".utf8))
        #expect(try large.receiveResponse().status == 431)
        for text in [
            "\r\n\r\n", "GET /\r\n\r\n", "GET / HTTP/2.0\r\n\r\n", "GET / HTTP/1.1\r\nno colon\r\n\r\n",
            "\u{16}\u{3}\r\n\r\n",
        ] {
            let client = try HTTPClient(port: server.port)
            client.send(Data(text.utf8))
            #expect([400, 505].contains(try client.receiveResponse().status), "\(text)")
        }
        // Clients that never end their request, and some that do not receive the page.
        var slow: [HTTPClient] = []
        for number in 0..<20 {
            let client = try HTTPClient(port: server.port)
            let end = number % 2 == 0 ? "" : "Host: localhost:\(server.port)\r\n\r\n"
            client.send(Data("GET / HTTP/1.1\r\n\(end)".utf8))
            slow.append(client)
        }
        #expect(try HTTPClient.request("GET", "/", port: server.port).status == 200)
        // More connections than the limit are refused, not queued.
        for _ in 0..<30 {
            let client = try HTTPClient(port: server.port)
            client.send(Data("GET /events?after=0 HTTP/1.1\r\nHost: localhost:\(server.port)\r\n\r\n".utf8))
            slow.append(client)
        }
        #expect(try HTTPClient.request("GET", "/", port: server.port).status == 503)
        slow = []
        // The connections end, so that there is room again.
        var status = 503
        while status == 503 { status = try HTTPClient.request("GET", "/", port: server.port).status }
        #expect(status == 200)
    }

    @Test func `reports a port that is in use, and ends with Ctrl-C`() throws {
        let (status, output, errors) = try Shell.run(
            ToolProcess.chronicle, ["serve", store.url.path, "--port", String(server.port)])
        #expect(status == 2)
        #expect(output == "")
        #expect(
            errors
                == "chronicle: port \(server.port) is in use; choose another one with --port, or 0 for any free one\n")
        let end = server.process.kill(SIGINT)
        #expect(end.reason == .uncaughtSignal && end.status == SIGINT)
    }

    @Test(arguments: [["--port", "x"], ["--port", "65536"], ["--size", "0"]])
    func `reports wrong arguments`(arguments: [String]) throws {
        #expect(try Shell.run(ToolProcess.chronicle, ["serve", store.url.path] + arguments).status == 2)
    }

    @Test func `does not change the file`() throws {
        let before = try Data(contentsOf: store.url)
        _ = try HTTPClient.request("GET", "/", port: server.port)
        let client = try HTTPClient(port: server.port)
        client.send(Data("GET /events?after=0 HTTP/1.1\r\nHost: localhost:\(server.port)\r\n\r\n".utf8))
        _ = try client.receive(until: "Museum")
        #expect(try Data(contentsOf: store.url) == before)
    }
}

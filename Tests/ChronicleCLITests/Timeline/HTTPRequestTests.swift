import Testing

@testable import ChronicleHTTP

/// Requests.
struct HTTPRequestTests {
    @Test func `reads a request`() throws {
        let text = "GET /events?after=1-2&x=%3C%20&after=9 HTTP/1.1\r\nHOST:  localhost:1 \r\nA: 1\r\na: 2\r\n\r\n"
        let request = try HTTPRequest(text.utf8)
        #expect(request.method == "GET" && request.path == "/events")
        #expect(request.query == ["after": "1-2", "x": "< "])
        #expect(request.fields == ["host": "localhost:1", "a": "1, 2"])
        #expect(request.isAddressed(toPort: 1) && !request.isAddressed(toPort: 2))
    }

    @Test(arguments: [
        "", "GET", "GET / HTTP/1.1 x", "G<T / HTTP/1.1", "GET x HTTP/1.1", "GET / HTTP/1.1\r\nHost : x",
        "GET / HTTP/1.1\r\nHost: x\r\nHost: y", "GET / HTTP/1.1\r\nHost: x\r\n folded", "GET / HTTP/1.1\r\n: x",
        "GET / HTTP/1.1\r\nA: b\nHost: x", "GET /é HTTP/1.1", "GET / HTTP/1.1\r\nA: \u{0}",
    ])
    func `refuses invalid requests`(text: String) {
        #expect(throws: HTTPRequest.Failure.self) { try HTTPRequest("\(text)\r\n\r\n".utf8) }
    }

    @Test(
        arguments: [
            ("", 0, nil), ("Content-Length: 0\r\n", 0, nil), ("Content-Length: 10\r\n", 10, nil),
            ("Content-Length: 11\r\n", nil, .contentTooLarge), ("Content-Length: -1\r\n", nil, .badRequest),
            ("Content-Length: +1\r\n", nil, .badRequest), ("Content-Length: 1, 1\r\n", nil, .badRequest),
            ("Content-Length:\r\n", nil, .badRequest), ("Transfer-Encoding: chunked\r\n", nil, .lengthRequired),
            ("Content-Length: 99999999999999999999999\r\n", nil, .contentTooLarge),
        ] as [(String, Int?, HTTPStatus?)])
    func `knows the size of the content`(field: String, size: Int?, status: HTTPStatus?) throws {
        let request = try HTTPRequest("POST / HTTP/1.1\r\n\(field)\r\n".utf8)
        let result = Result { try request.contentSize(maximum: 10) }
        switch result {
        case .success(let found): #expect(found == size)
        case .failure(let error): #expect((error as? HTTPRequest.Failure)?.status == status)
        }
    }
}

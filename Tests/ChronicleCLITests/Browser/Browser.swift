import ChronicleTestSupport
import Foundation

/// A Chromium without a window, controlled by ChromeDriver. https://www.w3.org/TR/webdriver2/
///
/// Each browser has a separate profile, which is removed with the temporary directory.
final class Browser {
    /// Why the tests with a browser do not run.
    static let requirement: String = "chromium and chromedriver are not installed: apt-get install chromium-driver"

    /// Whether both programs are installed.
    static let isAvailable = program("chromedriver") != nil && program("chromium") != nil

    private static func program(_ name: String) -> String? {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":") + ["/usr/bin"]
        return folders.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    private struct Value<Content: Decodable>: Decodable { let value: Content }
    private struct Ignored: Decodable { init(from decoder: any Decoder) {} }

    private let driver: ToolProcess
    private let port: UInt16
    private var session = ""
    private var processIdentifier: pid_t = 0
    private let profile: TemporaryDirectory

    init(width: Int = 1_200, height: Int = 800) throws {
        guard let program = Self.program("chromedriver") else { throw Shell.Failure(description: Self.requirement) }
        profile = try TemporaryDirectory()
        driver = try ToolProcess(program, ["--port=0"], environment: ["TZ": "UTC", "LANG": "C.UTF-8"])
        let line = try driver.line(containing: "started successfully on port")
        guard let port = line.firstMatch(of: /port (\d+)/).flatMap({ UInt16($0.output.1) }) else {
            throw Shell.Failure(description: "no port in \(line)")
        }
        self.port = port
        var arguments = [
            "--headless=new", "--window-size=\(width),\(height)", "--force-device-scale-factor=1", "--no-proxy-server",
            "--disable-dev-shm-usage", "--disable-gpu", "--no-first-run", "--user-data-dir=\(profile.url.path)",
        ]
        // Chromium refuses to use its sandbox as root.
        if geteuid() == 0 { arguments.append("--no-sandbox") }
        struct Session: Decodable {
            struct Capabilities: Decodable {
                let processID: pid_t?
                private enum CodingKeys: String, CodingKey { case processID = "goog:processID" }
            }
            let sessionId: String, capabilities: Capabilities
        }
        let capabilities: [String: Any] = [
            "goog:loggingPrefs": ["browser": "ALL"], "goog:chromeOptions": ["args": arguments],
            "timeouts": ["script": 30_000, "pageLoad": 60_000],
        ]
        let created: Session = try command("POST", "/session", ["capabilities": ["alwaysMatch": capabilities]])
        session = "/session/\(created.sessionId)"
        processIdentifier = created.capabilities.processID ?? 0
    }

    deinit {
        do {
            let _: Ignored = try command("DELETE", session)
        } catch {
            // A Chromium that does not respond.
            if processIdentifier > 0 { kill(processIdentifier, SIGKILL) }
        }
        // The driver waits for its connections when it receives SIGTERM.
        driver.kill(SIGKILL)
    }

    // MARK: Commands

    private func command<Result: Decodable>(_ method: String, _ path: String, _ body: Any? = nil) throws -> Result {
        let content = try body.map { try JSONSerialization.data(withJSONObject: $0) }
        let response = try HTTPClient.request(method, path, port: port, content: content)
        guard response.status == 200 else {
            throw Shell.Failure(description: "\(method) \(path): \(response.text.prefix(2_000))")
        }
        return try JSONDecoder().decode(Value<Result>.self, from: response.content).value
    }

    func open(_ url: String) throws {
        let _: Ignored = try command("POST", "\(session)/url", ["url": url])
    }

    /// Runs a script, the body of a function, and returns its result.
    func run<Result: Decodable>(_ script: String, as type: Result.Type = Result.self) throws -> Result {
        try command("POST", "\(session)/execute/sync", ["script": script, "args": [Any]()])
    }

    /// Runs a script without a result.
    func perform(_ script: String) throws { let _: Ignored = try run(script) }

    /// Waits until an expression is true.
    func wait(until expression: String) throws {
        let script = """
            const done = arguments[arguments.length - 1];
            const test = () => { if (\(expression)) done(true); else setTimeout(test, 10); };
            test();
            """
        let start = ContinuousClock.now
        while true {
            do {
                let _: Bool = try command("POST", "\(session)/execute/async", ["script": script, "args": [Any]()])
                return
            } catch let failure as Shell.Failure
                where failure.description.contains("script timeout") && ContinuousClock.now - start < .seconds(30)
            {
                // The driver reports this error for a page that is loaded again. The next script runs in the new page.
            }
        }
    }

    /// Waits until the page has drawn what was changed.
    func waitForDrawing() throws {
        let script = "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done(true)));"
        let _: Bool = try command("POST", "\(session)/execute/async", ["script": script, "args": [Any]()])
    }

    /// Presses keys one after the other. The values of keys without a character are those of WebDriver.
    /// https://www.w3.org/TR/webdriver2/#keyboard-actions
    func press(_ keys: Key...) throws {
        let actions = keys.flatMap { key in
            ["keyDown", "keyUp"].map { ["type": $0, "value": key.rawValue] }
        }
        let _: Ignored = try command(
            "POST", "\(session)/actions", ["actions": [["type": "key", "id": "keyboard", "actions": actions]]])
    }

    func type(_ text: String) throws { for character in text { try press(Key(rawValue: String(character))) } }

    struct Key: RawRepresentable {
        let rawValue: String

        static let tab = Key(rawValue: "\u{e004}")
        static let enter = Key(rawValue: "\u{e007}")
        static let escape = Key(rawValue: "\u{e00c}")
        static let pageDown = Key(rawValue: "\u{e00f}")
        static let end = Key(rawValue: "\u{e010}")
        static let home = Key(rawValue: "\u{e011}")
        static let left = Key(rawValue: "\u{e012}")
        static let up = Key(rawValue: "\u{e013}")
        static let down = Key(rawValue: "\u{e015}")
        static let slash = Key(rawValue: "/")
    }

    /// Sends a command of the DevTools protocol. https://chromedevtools.github.io/devtools-protocol/
    func devTools<Result: Decodable>(_ name: String, _ parameters: [String: Any] = [:]) throws -> Result {
        try command("POST", "\(session)/goog/cdp/execute", ["cmd": name, "params": parameters])
    }

    /// Emulates the screen of a phone.
    func emulatePhone(width: Int, height: Int) throws {
        let _: Ignored = try devTools(
            "Emulation.setDeviceMetricsOverride",
            ["width": width, "height": height, "deviceScaleFactor": 2, "mobile": true])
    }

    /// Emulates the theme of the system.
    func emulateTheme(_ theme: String) throws {
        let _: Ignored = try devTools(
            "Emulation.setEmulatedMedia", ["features": [["name": "prefers-color-scheme", "value": theme]]])
    }

    /// The messages of the console since the last call, such as errors of scripts and of the content security policy.
    func console() throws -> [String] {
        struct Entry: Decodable { let level: String, message: String }
        let entries: [Entry] = try command("POST", "\(session)/se/log", ["type": "browser"])
        return entries.map { "\($0.level): \($0.message)" }
    }

    // MARK: Artefacts

    /// Keeps a screenshot in `.build/artefacts/timeline`.
    func keepScreenshot(_ name: String) throws {
        let text: String = try command("GET", "\(session)/screenshot")
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let folder = package.appending(path: ".build/artefacts/timeline")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(base64Encoded: text)?.write(to: folder.appending(path: "\(name).png"))
    }
}

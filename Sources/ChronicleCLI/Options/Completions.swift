enum Completions {
    static let shells = ["bash", "fish", "zsh"]

    // MARK: bash

    /// `source <(chronicle completions bash)` reads the script.
    static func bash(_ commands: [Command]) -> String {
        """
        # Completions of chronicle for bash.
        # Adds the names in the first file of the command line.
        _chronicle_names() {
            local word name file="" typed="${current//\\\\/}"
            for word in "${COMP_WORDS[@]:2}"; do
                word="${word//\\\\/}"
                word="${word/#\\~\\//$HOME/}"
                if [[ -f "$word" ]]; then file="$word"; break; fi
            done
            while IFS= read -r name; do
                if [[ "$name" == "$typed"* ]]; then COMPREPLY+=("$name"); fi
            done < <(chronicle completions --names "$file" 2>/dev/null)
        }
        # Whether a number of operands precede the current word. The second argument has the options with values.
        _chronicle_follows() {
            local word count=0 skips="" ended=""
            for word in "${COMP_WORDS[@]:2:COMP_CWORD-2}"; do
                # bash divides words at these characters.
                if [[ "$word" == [:=]* ]]; then skips=1
                elif [[ -n "$skips" ]]; then skips=""
                elif [[ -n "$ended" || "$word" != -?* ]]; then count=$((count + 1))
                elif [[ "$word" == -- ]]; then ended=1
                elif [[ "$word" == --* ]]; then
                    if [[ " $2 " == *" $word "* ]]; then skips=1; fi
                else
                    while word="${word#?}"; [[ -n "$word" ]]; do
                        if [[ " $2 " != *" -${word:0:1} "* ]]; then continue; fi
                        if [[ ${#word} -eq 1 ]]; then skips=1; fi
                        break
                    done
                fi
            done
            [ "$count" -ge "$1" ]
        }
        _chronicle() {
            local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}"
            COMPREPLY=()
            if [[ "$previous" == "=" ]]; then previous="${COMP_WORDS[COMP_CWORD-2]}"; fi
            if [ "$COMP_CWORD" -eq 1 ]; then
                COMPREPLY=($(compgen -W "\(commands.map(\.name).joined(separator: " "))" -- "$current"))
                return
            fi
            case "${COMP_WORDS[1]}" in
        \(commands.map(bash).joined(separator: "\n"))
            esac
        }
        complete -o filenames -F _chronicle chronicle

        """
    }

    private static func bash(_ command: Command) -> String {
        let options = command.allOptions.map { "--\($0.name)" }.joined(separator: " ")
        let withValues = command.allOptions.filter { $0.value != nil }.map { option in
            (option: option, names: (option.letter.map { ["-\($0)"] } ?? []) + ["--\(option.name)"])
        }
        let values = withValues.map { option, names in
            "            \(names.joined(separator: "|"))) \(bash(option.values)); return ;;"
        }
        let first = command.operands.first { if case .any = $0.values { false } else { true } }
        var operands = bash(first?.values ?? .any)
        if let index = command.operands.firstIndex(where: \.isName) {
            let names = withValues.flatMap(\.names).joined(separator: " ")
            operands = "if _chronicle_follows \(index) '\(names)'; then _chronicle_names; else \(operands); fi"
        }
        return """
                \(command.name))
                    case "$previous" in
            \(values.joined(separator: "\n"))
                    esac
                    if [[ "$current" == -* ]]; then
                        COMPREPLY=($(compgen -W "\(options)" -- "$current"))
                    else
                        \(operands)
                    fi ;;
            """
    }

    private static func bash(_ values: Command.Option.Values) -> String {
        switch values {
        case .any: ":"
        case .files: "COMPREPLY=($(compgen -f -- \"$current\"))"
        case .names: "_chronicle_names"
        case .list(let list): "COMPREPLY=($(compgen -W \"\(list.joined(separator: " "))\" -- \"$current\"))"
        }
    }

    // MARK: fish

    /// Returns the content of a file `chronicle.fish` in the directory of completions.
    static func fish(_ commands: [Command]) -> String {
        var lines = ["# Completions of chronicle for fish.", fishNames, "complete -c chronicle -f"]
        lines.append("complete -c chronicle -n __fish_use_subcommand -l version -d 'show the version of the tool'")
        lines.append("complete -c chronicle -n __fish_use_subcommand -l help -s h -d 'list the commands'")
        for command in commands {
            lines.append(
                "complete -c chronicle -n __fish_use_subcommand -a \(command.name) -d '\(fishQuoted(command.summary))'")
        }
        for command in commands {
            let condition = "complete -c chronicle -n '__fish_seen_subcommand_from \(command.name)'"
            for option in command.allOptions {
                let letter = option.letter.map { " -s \($0)" } ?? ""
                let values = option.value == nil ? "" : " \(fish(option.values, isOption: true))"
                lines.append("\(condition) -l \(option.name)\(letter)\(values) -d '\(fishQuoted(option.summary))'")
            }
            for operand in command.operands {
                if case .any = operand.values { continue }
                lines.append("\(condition) \(fish(operand.values, isOption: false))")
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Prints the names in the first file of the command line, if there is one.
    private static let fishNames = """
        function __chronicle_names
            for word in (commandline -op)[3..-1]
                if test -f "$word"
                    chronicle completions --names "$word" 2>/dev/null
                    return
                end
            end
            chronicle completions --names "" 2>/dev/null
        end
        """

    private static func fish(_ values: Command.Option.Values, isOption: Bool) -> String {
        switch values {
        case .any: "-x"
        case .files: isOption ? "-r -F" : "-F"
        case .names: (isOption ? "-x " : "") + "-a '(__chronicle_names)'"
        case .list(let list): (isOption ? "-x " : "") + "-a '\(list.joined(separator: " "))'"
        }
    }

    private static func fishQuoted(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("'", with: "\\'")
    }

    // MARK: zsh

    /// Returns the content of a file `_chronicle` in a directory of `fpath`.
    static func zsh(_ commands: [Command]) -> String {
        """
        #compdef chronicle
        # Completions of chronicle for zsh.
        # Adds the names in the first file of the command line.
        _chronicle_names() {
            local word file=""
            local -a names
            for word in "${words[@]:1}"; do
                word="${(Q)word}"
                word="${word/#\\~\\//$HOME/}"
                if [[ -f "$word" ]]; then file="$word"; break; fi
            done
            names=(${(f)"$(chronicle completions --names "$file" 2>/dev/null)"})
            compadd -a names
        }
        _chronicle() {
            local -a commands
            commands=(
        \(commands.map { "        '\($0.name):\(quoted($0.summary))'" }.joined(separator: "\n"))
            )
            if (( CURRENT == 2 )); then
                _describe command commands
                return
            fi
            local command="$words[2]"
            shift words
            (( CURRENT-- ))
            case "$command" in
        \(commands.map(zsh).joined(separator: "\n"))
            esac
        }
        _chronicle "$@"

        """
    }

    private static func zsh(_ command: Command) -> String {
        var specifications = command.allOptions.map { option in
            let value = option.value.map { ":\($0):\(zsh(option.values))" } ?? ""
            let names =
                option.letter.map { "'(-\($0) --\(option.name))'{-\($0),--\(option.name)}" } ?? "--\(option.name)"
            return "\(names)'[\(quoted(option.summary))]\(value)'"
        }
        for (index, operand) in command.operands.enumerated() {
            let place = operand.isRepeated ? "*:" : "\(index + 1)\(operand.isOptional ? "::" : ":")"
            specifications.append("'\(place)\(operand.name):\(zsh(operand.values))'")
        }
        return "    \(command.name)) _arguments \(specifications.joined(separator: " ")) ;;"
    }

    private static func zsh(_ values: Command.Option.Values) -> String {
        switch values {
        case .any: ""
        case .files: "_files"
        case .names: "_chronicle_names"
        case .list(let list): "(\(list.joined(separator: " ")))"
        }
    }

    /// Escapes a text for a specification in single quotation marks, in which brackets and colons have a meaning.
    private static func quoted(_ text: String) -> String {
        var quoted = ""
        for character in text {
            if "[]:\\".contains(character) { quoted += "\\" }
            quoted += character == "'" ? "'\\''" : String(character)
        }
        return quoted
    }
}

extension Command.Operand {
    fileprivate var isName: Bool { ["TABLE", "ENTITY"].contains(name) }

    fileprivate var values: Command.Option.Values {
        switch name {
        case "FILE", "EXPORT", "SOURCE", "DESTINATION": .files
        case "SHELL": .list(Completions.shells)
        default: isName ? .names : .any
        }
    }
}

"""What the readers of drafts look out for."""

from __future__ import annotations

from tests.chaos.patterns.tokens import Tokens, tokens

LATEX = Tokens(
    contexts=tokens(
        r"""
        \begin{tabular}{ll}⏎ \begin{table}\caption{ \begin{thebibliography}{9}⏎
        \begin{thebibliography}{9}⏎\bibitem{a}␣ \newcommand{\a}{ \def\a{
        \begin{document}⏎\section{One}⏎ \title{ \author{ \begin{abstract} \cite[ \cite{
        \footnote{ \caption[ \begin{filecontents}{a.bib}⏎ \begin{equation} \begin{itemize}⏎
        \begin{verbatim} \begin{comment} \iffalse␣ A␣sentence␣with␣words␣ % \bibliography{ $
        """
    ),
    signs=tokens(
        r"""
        \[ \( \] \) $ $$ { } [ ] & % \\ \\[ \cite{a} \cite{ \cite[a] \textcite(a)[b]{ \footnote{
        \section{ \begin{ \begin{a} \begin{table} \end{table} \begin{itemize} \begin{equation}
        \end{equation} \item[ \bibitem{a}␣ \bibitem[ \newcommand{\a}{ \def\a#1{ \newcommand \if
        \iffalse␣ \fi␣ \else␣ \verb| \verb \input{ \label{ \ref{a} \caption{ \todo{ \newblock␣
        \gls{ \newacronym{a}{ \hline⏎ ⏎ ⏎⏎ a.␣A a,␣ \a
        """
    ),
    pieces=tokens(
        r"""
        \begin{tabular}{ \begin{tabular}{ll} \end{tabular} \begin{figure} \begin{verbatim}
        \end{verbatim} \begin{comment} \begin{lstlisting} \lstinline| \mintinline{a}{ \iftrue␣
        \ifx \begin{thebibliography}{9} \end{thebibliography} \bib{a}{article}{ \harvarditem{
        \addbibresource{ \addbibresource[ \bibliography{ \bibliography{a} \usepackage{
        \usepackage[ \RequirePackage{ \documentclass[ \graphicspath{ \newenvironment{
        \newenvironment{a}{ \NewDocumentCommand{ \DeclareCiteCommand{ \let\a \let\a=\cite
        \DeclareAcronym{a}{ \acrodef{a}[ \newglossaryentry{ \ac{a} \emph{ \textbf{
        \textsuperscript{ \href{ \url{ \url| \path{ \author{ \author[ \title{ \thanks{
        \abstract{ \keywords{ \date{ \maketitle \appendix \part{ \chapter{ \paragraph{ \nocite{
        \nocite{*} \cites{a} \cites(a)(b)[c]{d} \citep[see][]{ \citep*{ \citeauthor{ \parencite[
        \supercite{ \autocite< \begin{refsection}[ \defbibentryset{a}{
        \begin{filecontents}{a.bib} \begin{filecontents*}{ \include{ \includeonly{ \subfile{
        \import{a}{ \makeatletter \catcode`\% \begin{frame}{ \begin{frame}[ \multicolumn{2}{c}{
        \multirow{ \footnotemark[ \footnotetext{ \externaldocument{ \ensuremath{ \text{ \mbox{
        \ifthenelse{ \left( \begin{align} \begin{cases} \begin{minipage}{ \'e \"{ \c{ \~ \, \%
        \{ \} \begin{CJK}{ <<a>>=⏎ @⏎ %␣!TeX␣root␣=␣ %␣cite-lsp:␣ignore␣ \bibinfo{author}{ `` ''
        --- et␣al.␣ (Smith,␣2010)␣ Smith␣(2010)␣ [1]␣ [?]␣ [TODO]␣ ??
        """
    ),
)

MARKDOWN = Tokens(
    contexts=tokens(
        r"""
        [@ ---⏎ ---⏎title:␣a⏎---⏎ ---⏎title:␣a⏎---⏎␣␣␣␣ ---⏎bibliography:␣[ ---⏎a:⏎ ```⏎ ```{r}⏎
        $$⏎ |␣a␣|⏎|---|⏎ -␣a⏎ 1.␣a⏎ >␣a⏎ #␣A⏎ [^1]:␣ <div> <!-- :::␣{ [a]( ![a](
        A␣sentence␣with␣words␣ :::{note}⏎ %␣a⏎ +++⏎ [a]:␣
        """
    ),
    signs=tokens(
        r"""
        [@ @a␣ @{a [@a] [ ] ]( ( ) [^1] ^[ { } {.a ` ``` ```⏎ ~~~⏎ $ $$ \( \[ \begin{a} \cite{ *
        ** _ | |␣a␣|⏎ |---|⏎ ---⏎ ...⏎ ===⏎ +---+⏎ >␣ -␣ 1.␣ #␣ # ␣␣␣␣a⏎ ⏎ ⏎⏎ <!-- --> <a <div>
        </div> {%␣ {{ ::: :::␣a⏎ :␣ :a: {cite}` [^a]:␣ a.␣A a,␣
        """
    ),
    pieces=tokens(
        r"""
        [-@a,␣p.␣ [see␣@a;␣ [@a;␣@b @a␣[ @a[p.␣ <@a @doi:10.1/a https://a.b/ <https://a [a][
        [a]:␣b⏎ ![ ![a]( ```{r␣a}⏎ ```{r,␣fig.cap=" `r␣ {r}` `{=latex} ```{=latex}⏎ \citep{a}
        \begin{table} \ref{a} \@ref( (ref:a)␣ ^a^ ~a~ ==a== a⏎---⏎ a⏎===⏎ ---␣---⏎ ␣␣␣---␣␣---⏎
        Table:␣a⏎ :␣a⏎ |␣a⏎ *[a]:␣ {{<␣ {{<␣include␣a␣>}} {%␣include␣a␣%} <script> <style> <pre>
        <p <sup> &amp; \a ~~ a *␣a⏎ ␣␣-␣a⏎ 10)␣ (@a)␣ #.␣ title:␣a⏎ title:␣>⏎ -␣a:␣
        bibliography:␣ ?␣ !a␣ &a␣ *a␣ "a 'a +++⏎ :a:␣b⏎ ..␣a::⏎ :cite:` :::{a}␣b⏎ ```{a}␣b⏎ %␣a⏎
        (a)=⏎ %% Smith␣et␣al.␣(2010)␣ (Smith,␣2010)␣ (cite)␣ [?]␣
        """
    ),
)

TYPST = Tokens(
    contexts=tokens(
        r"""
        #table( #cite( #figure( #let␣a␣=␣ #let␣a␣=␣[ #{ #[ $ ` ```⏎ /* // =␣A⏎ #bibliography(
        #set␣document(title:␣[ #show:␣a.with(⏎ -␣a⏎ A␣sentence␣with␣words␣ #quote(attribution:␣
        """
    ),
    signs=tokens(
        r"""
        @a @a[ @ <a> <a #cite( #cite(<a> #a #a( #a[ #( #[ #{ #table( #figure( #footnote[
        #let␣a␣=␣ #let␣a( #import␣" #include␣" #bibliography(" #show␣ #set␣ #if␣ #for␣ { } ( ) [
        ] ` `` ``` $ " /* */ // =␣ == -␣ +␣ /␣a:␣ * _ ⏎ ⏎⏎ a.␣A ,␣
        """
    ),
    pieces=tokens(
        r"""
        \u{ https://a label(" #label(" #ref( #link(" #raw(" #quote[ #text( #align(center)[
        #bibliography((" #cite(label(" #let␣a(b)␣=␣{ #show␣heading:␣it␣=>␣
        #set␣document(title:␣" #abstract[ title:␣" title:␣[ abstract:␣[ authors:␣(( caption:␣[
        =>␣ -- 1.␣ a:␣ #a.b( #a.b[ #a; $a$ #while␣ #context␣ #strike[ #hide[ #include␣"a.typ"⏎
        @preview/
        """
    ),
)

ORG = Tokens(
    contexts=tokens(
        r"""
        #+title:␣ #+begin_src␣a⏎ #+begin_quote⏎ #+begin_export␣latex⏎ |␣a␣|⏎ *␣A⏎ :PROPERTIES:⏎
        -␣a⏎ [cite: [cite:@a␣ [fn:1]␣ [fn:: A␣sentence␣with␣words␣ #+bibliography:␣
        \begin{equation}⏎
        """
    ),
    signs=tokens(
        r"""
        [fn:: [fn:1] [fn:a: [cite: [cite:@a] [cite/a:@ @a ; cite:a cite:& citep: [[ ]] [[cite:
        [[a][ [ ] { } ( ) = ~ + / * _ \( \[ $ $$ \cite{ \a{ | |␣a⏎ |--⏎ *␣ *␣A⏎ #+begin_a⏎
        #+end_a⏎ #+a:␣ #␣ :␣ :a:⏎ -␣ src_a{ call_a( << {{{ ^{ _{ ⏎ ⏎⏎ a.␣A a,␣
        """
    ),
    pieces=tokens(
        r"""
        #+begin_src⏎ #+begin_comment⏎ #+begin_example⏎ #+include:␣" #+include:␣"a.org"⏎
        #+title:␣a⏎ #+caption:␣a⏎ #+tblfm:␣ #+bibliography:␣a⏎ #+cite_export:␣
        #+latex_header:␣\usepackage{ #+macro:␣a␣ :PROPERTIES:⏎ :END:⏎ :DRAWER:⏎ **␣TODO␣A␣:a:⏎
        [1/2] <2020-01-01␣ [2020-01-01␣ https://a \begin{a}⏎ \end{a}⏎ @@latex: @@ 1.␣ 1)␣ +␣
        -␣a␣::␣ \\ a^b a_b [a &a *␣COMMENT␣a⏎ #+begin_export␣latex⏎ CLOCK:␣ SCHEDULED:␣<
        """
    ),
)
